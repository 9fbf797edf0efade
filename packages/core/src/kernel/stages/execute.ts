import { isThenable, startTimer, type Timer } from "@haft/utils";
import { HaftError, getErrorMessage } from "../../contract/errors.ts";
import type { ToolOutcome, ToolResult } from "../../contract/result.ts";
import { coreError } from "../../errors.ts";
import { messageWithCauses } from "../../format/causes.ts";
import { maskKnownSecrets } from "../../format/known-secrets.ts";
import { copyArguments } from "../../parameters/copy-json.ts";
import { CallContext } from "../call-context.ts";
import type { PlannedCall } from "../call.ts";
import { normalizeResult } from "../limits/limits.ts";
import { limitCallResult, createCancelledOutcome, createFailedOutcome } from "../outcome.ts";

export function execute(call: PlannedCall): ToolOutcome | Promise<ToolOutcome> {
  const { options } = call;
  if (options.signal?.aborted) return createCancelledOutcome(call, "aborted before it ran.", "none");
  const { tool } = call.tool;
  call.enter();
  const onUpdate = (partial: ToolResult) => {
    const valid = call.ended ? undefined : readUpdate(call, partial);
    if (valid !== undefined) update(call, maskKnownSecrets(valid));
  };
  // A copy: tools that add defaults must not change the ledger.
  const params = Object.isFrozen(call.args) ? copyArguments(call.args) : { ...call.args };
  let returned: ToolResult | Promise<ToolResult>;
  try {
    const run = () => tool.execute(call.id, params, call.controller.signal, onUpdate, new CallContext(call));
    returned = call.session.middleware === undefined ? run() : wrapExecute(call, run);
  } catch (thrown) {
    return createFailedOutcome(call, thrown);
  }
  return isThenable(returned) ? waitFor(call, returned) : succeeded(call, returned);
}

function waitFor(call: PlannedCall, returned: Promise<ToolResult>): Promise<ToolOutcome> {
  const { session, options } = call;
  const { signal } = options;
  const limit = options.deadlineMs ?? call.tool.tool.deadlineMs ?? session.settings.deadlineMs;
  return new Promise((resolve) => {
    let grace: Timer | undefined;
    const deadline = limit > 0 ? startTimer(() => call.abort(deadlineExceeded(limit)), limit) : undefined;
    const onOuterAbort = () => call.abort(signal?.reason);
    signal?.addEventListener("abort", onOuterAbort, { once: true });

    const settle = (outcome: ToolOutcome) => {
      call.onAbort = undefined;
      deadline?.stop();
      grace?.stop();
      signal?.removeEventListener("abort", onOuterAbort);
      resolve(outcome);
    };
    call.onAbort = () => {
      grace ??= startTimer(() => settle(aborted(call, undefined)), session.settings.abortGraceMs);
    };
    returned.then(
      (result) => settle(succeeded(call, result)),
      (thrown: unknown) =>
        settle(call.controller.signal.aborted ? aborted(call, thrown) : createFailedOutcome(call, thrown)),
    );
    if (signal?.aborted) onOuterAbort();
    else if (call.controller.signal.aborted) call.onAbort();
  });
}

/** Ignores an invalid update, since listeners read its content. */
function readUpdate(call: PlannedCall, partial: ToolResult): ToolResult | undefined {
  try {
    const isEmpty = Array.isArray(partial?.content) && partial.content.length === 0;
    return isEmpty ? partial : normalizeResult(partial, call.toolName);
  } catch (thrown) {
    const { toolName, tool } = call;
    call.session.settings.logger.warn(`${toolName} gave onUpdate an invalid result, which is ignored.`, {
      call: call.id,
      plugin: tool.facts.pluginId,
      reason: getErrorMessage(thrown),
    });
    return undefined;
  }
}

function update(call: PlannedCall, partial: ToolResult): void {
  try {
    call.options.onUpdate?.(partial);
  } catch (thrown) {
    call.session.settings.logger.error("onUpdate threw.", {
      call: call.id,
      thrown: messageWithCauses(thrown),
    });
  }
  call.emit({ type: "tool-update", partial });
}

function succeeded(call: PlannedCall, value: unknown): ToolOutcome {
  try {
    const result = maskKnownSecrets(normalizeResult(value, call.toolName));
    const bounded = limitCallResult(call, result);
    return {
      kind: "ok",
      toolCallId: call.answeredAs,
      toolName: call.toolName,
      content: bounded.content,
      details: bounded.details,
      durationMs: call.elapsedMs(),
      receipt: result.receipt ?? (call.changesThings() ? "committed" : "none"),
    };
  } catch (thrown) {
    return createFailedOutcome(call, thrown);
  }
}

function aborted(call: PlannedCall, thrown: unknown): ToolOutcome {
  const receipt = (HaftError.is(thrown) && thrown.receipt) || call.getFailureReceipt();
  const reason: unknown = call.controller.signal.reason;
  if (HaftError.is(reason) && KERNEL_REASONS.has(reason.code))
    return { ...createFailedOutcome(call, reason), receipt };
  return createCancelledOutcome(call, typeof reason === "string" ? reason : "aborted.", receipt);
}

const KERNEL_REASONS = new Set(["DEADLINE_EXCEEDED", "SESSION_LEASE_LOST"]);

function deadlineExceeded(limit: number): HaftError {
  return coreError("DEADLINE_EXCEEDED", `The call took longer than ${limit / 1000} s and was stopped.`);
}

/** Runs a tool inside the middleware, exactly once and with an unchanged result. */
function wrapExecute<Returned>(call: PlannedCall, run: () => Returned): Returned {
  const { answeredAs: toolCallId, toolName, session } = call;
  let entered: { returned: Returned } | { thrown: unknown } | undefined;
  const enterTool = () => {
    if (entered !== undefined) return;
    try {
      entered = { returned: run() };
    } catch (thrown) {
      entered = { thrown };
    }
  };
  let enter = enterTool;
  for (const surround of session.middleware ?? []) {
    const inner = enter;
    enter = () => {
      try {
        surround({ toolCallId, toolName }, inner);
      } catch (thrown) {
        const reason = getErrorMessage(thrown);
        session.settings.logger.error("A middleware of the session threw.", { call: call.id, reason });
      }
      inner();
    };
  }
  enter();
  if (entered !== undefined && "returned" in entered) return entered.returned;
  throw entered?.thrown;
}
