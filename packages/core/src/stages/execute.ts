import type { Call } from "../call.ts";
import { CallContext } from "../call-context.ts";
import { HaftError } from "../errors.ts";
import type { CutText } from "../limits/cut-text.ts";
import { boundResult, normalizeResult } from "../limits.ts";
import { cancelled, failed } from "../outcome.ts";
import type { ToolOutcome, ToolResult } from "../result.ts";
import type { Spooled } from "../spool.ts";

/** Runs the tool. Whatever it does, there is one outcome. */
export function execute(call: Call): ToolOutcome | Promise<ToolOutcome> {
  const { options } = call;
  if (options.signal?.aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
  const { tool } = call.tool!;
  call.entered = true;
  let ended = false;
  const onUpdate = (partial: ToolResult) => {
    if (!ended) update(call, partial);
  };
  let returned: ToolResult | Promise<ToolResult>;
  try {
    returned = tool.execute(call.id, call.args, call.controller.signal, onUpdate, new CallContext(call));
  } catch (thrown) {
    ended = true;
    return failed(call, thrown);
  }
  if (!isPromise(returned)) {
    ended = true;
    return succeeded(call, returned);
  }
  return waitFor(call, returned).then((outcome) => {
    ended = true;
    return outcome;
  });
}

/** With a deadline, abortable, and after an abort never longer than the grace. */
function waitFor(call: Call, returned: Promise<ToolResult>): Promise<ToolOutcome> {
  const { session, options } = call;
  const limit = options.deadlineMs ?? call.tool!.tool.deadlineMs ?? session.settings.deadlineMs;
  return new Promise((resolve) => {
    let grace: ReturnType<typeof setTimeout> | undefined;
    const deadline = limit > 0 ? setTimeout(() => call.abort(deadlineExceeded(limit)), limit) : undefined;
    const onOuterAbort = () => call.abort(options.signal!.reason);
    options.signal?.addEventListener("abort", onOuterAbort, { once: true });

    const settle = (outcome: ToolOutcome) => {
      call.onAbort = undefined;
      clearTimeout(deadline);
      clearTimeout(grace);
      options.signal?.removeEventListener("abort", onOuterAbort);
      resolve(outcome);
    };
    // How far a tool got is known only when it stops: it may have finished just before the abort.
    call.onAbort = () => {
      grace ??= setTimeout(() => settle(aborted(call, undefined)), session.settings.abortGraceMs);
    };
    returned.then(
      (result) => settle(succeeded(call, result)),
      (thrown: unknown) => settle(call.controller.signal.aborted ? aborted(call, thrown) : failed(call, thrown)),
    );
    if (call.controller.signal.aborted) call.onAbort();
  });
}

function update(call: Call, partial: ToolResult): void {
  call.options.onUpdate?.(partial);
  call.session.emit({ type: "tool-update", toolCallId: call.id, toolName: call.toolName, partial });
}

function succeeded(call: Call, value: unknown): ToolOutcome {
  const { session } = call;
  try {
    const result = normalizeResult(value, call.toolName);
    const bounded = boundResult(result, session.settings.limits, session, (spooled, cut) =>
      whereTheRestIs(call, spooled, cut),
    );
    return {
      kind: "ok",
      toolCallId: call.id,
      toolName: call.toolName,
      content: bounded.content,
      details: bounded.details,
      durationMs: call.elapsedMs(),
      receipt: result.receipt ?? (call.changesThings() ? "committed" : "none"),
    };
  } catch (thrown) {
    return failed(call, thrown);
  }
}

/** The exact call that shows what was cut. */
function whereTheRestIs(call: Call, spooled: Spooled, cut: CutText): string {
  if (spooled.path === undefined) return `The rest was not kept: ${spooled.reason}. Ask for less at once.`;
  const path = call.session.addressOf(spooled.path);
  const offset = cut.shown === undefined ? 1 : cut.shown.headTo + 1;
  return `To see the rest: read ${JSON.stringify({ path, offset })}`;
}

function aborted(call: Call, thrown: unknown): ToolOutcome {
  const receipt = (HaftError.is(thrown) && thrown.receipt) || call.receiptOfFailure();
  const reason: unknown = call.controller.signal.reason;
  if (HaftError.is(reason) && reason.code === "DEADLINE_EXCEEDED")
    return { ...failed(call, reason), receipt };
  return cancelled(call, "CANCELLED", typeof reason === "string" ? reason : "aborted.", receipt);
}

function deadlineExceeded(limit: number): HaftError {
  return new HaftError("DEADLINE_EXCEEDED", `The call took longer than ${limit / 1000} s and was stopped.`, {
    category: "operational",
    fix: "It may have taken effect in part: look before you repeat it. Ask for less at once, or for a longer deadline.",
  });
}

function isPromise(value: ToolResult | Promise<ToolResult>): value is Promise<ToolResult> {
  return typeof (value as { then?: unknown } | undefined)?.then === "function";
}
