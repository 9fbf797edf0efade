import type { Call } from "../call.ts";
import { CallContext } from "../call-context.ts";
import { HaftError } from "../errors.ts";
import type { CutText } from "../limits/cut-text.ts";
import { boundResult, normalizeResult } from "../limits.ts";
import { cancelled, failed } from "../outcome.ts";
import type { ToolOutcome, ToolResult } from "../result.ts";
import type { Spooled } from "../spool.ts";
import type { ToolUpdate } from "../tool.ts";

/**
 * Runs the tool: with a deadline, abortable, and never longer than the grace after an abort.
 * Whatever the tool does, the promise resolves to one outcome.
 */
export function execute(call: Call): Promise<ToolOutcome> {
  const { session, options, controller } = call;
  if (options.signal?.aborted)
    return Promise.resolve(cancelled(call, "CANCELLED", "aborted before it ran.", "none"));
  return new Promise((resolve) => {
    let settled = false;
    let deadline: ReturnType<typeof setTimeout> | undefined;
    let grace: ReturnType<typeof setTimeout> | undefined;

    const settle = (outcome: ToolOutcome) => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      clearTimeout(grace);
      options.signal?.removeEventListener("abort", onOuterAbort);
      resolve(outcome);
    };
    const onOuterAbort = () => controller.abort(options.signal!.reason);
    const onUpdate: ToolUpdate = (partial) => {
      if (settled) return;
      options.onUpdate?.(partial);
      session.emit({ type: "tool-update", toolCallId: call.id, toolName: call.toolName, partial });
    };
    // What is known only when the tool stops: it may have finished its work just before the abort.
    const onAbort = () => {
      grace = setTimeout(() => settle(aborted(call, undefined)), session.settings.abortGraceMs);
    };

    options.signal?.addEventListener("abort", onOuterAbort, { once: true });
    controller.signal.addEventListener("abort", onAbort, { once: true });
    const limit = options.deadlineMs ?? call.tool!.tool.deadlineMs ?? session.settings.deadlineMs;
    if (limit > 0) deadline = setTimeout(() => controller.abort(deadlineExceeded(limit)), limit);

    call.entered = true;
    let returned: ToolResult | Promise<ToolResult>;
    try {
      returned = call.tool!.tool.execute(
        call.id,
        call.args,
        controller.signal,
        onUpdate,
        new CallContext(call),
      );
    } catch (thrown) {
      settle(failed(call, thrown));
      return;
    }
    Promise.resolve(returned).then(
      (result) => settle(succeeded(call, result)),
      (thrown) => settle(controller.signal.aborted ? aborted(call, thrown) : failed(call, thrown)),
    );
  });
}

function succeeded(call: Call, value: unknown): ToolOutcome {
  const { session } = call;
  try {
    const result = normalizeResult(value, call.toolName);
    const bounded = boundResult(result, session.settings.limits, session, (spooled, cut) => whereTheRestIs(call, spooled, cut));
    return {
      kind: "ok",
      toolCallId: call.id,
      toolName: call.toolName,
      content: bounded.content,
      details: bounded.details as Record<string, unknown>,
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
  const { reason } = call.controller.signal;
  if (HaftError.is(reason) && reason.code === "DEADLINE_EXCEEDED") {
    const { message, fix } = reason;
    return failed(
      call,
      new HaftError(reason.code, message, {
        category: "operational",
        receipt,
        ...(fix === undefined ? {} : { fix }),
      }),
    );
  }
  return cancelled(call, "CANCELLED", typeof reason === "string" ? reason : "aborted.", receipt);
}

function deadlineExceeded(limit: number): HaftError {
  return new HaftError("DEADLINE_EXCEEDED", `The call took longer than ${limit / 1000} s and was stopped.`, {
    category: "operational",
    fix: "It may have taken effect in part: look before you repeat it. Ask for less at once, or for a longer deadline.",
  });
}
