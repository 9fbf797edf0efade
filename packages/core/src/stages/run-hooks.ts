import type { Call } from "../call.ts";
import { HaftError, messageOf } from "../errors.ts";
import type { BeforeToolCall, HookCall, ToolHook } from "../hooks.ts";
import { signalOf } from "../approvals/waiting-call.ts";
import { normalizeResult } from "../limits.ts";
import { blocked, boundForCall, cancelled } from "../outcome.ts";
import type { ToolOutcome } from "../result.ts";
import { startTimer } from "../timer.ts";

const DEFAULT_DEADLINE_MS = 15_000;

/** Lets every hook have its say before the arguments are looked at. What it cannot say in time is a no. */
export async function runHooksBefore(call: Call): Promise<ToolOutcome | undefined> {
  for (const hook of call.session.settings.hooks) {
    if (hook.beforeToolCall === undefined) continue;
    let said: BeforeToolCall | undefined | void;
    try {
      said = await inTime(call, hook, (about) => hook.beforeToolCall!(about), call.request.arguments);
    } catch (thrown) {
      if (signalOf(call).aborted) return cancelled(call, "CANCELLED", "aborted before it ran.", "none");
      const reason = `The hook ${hook.name} failed, so the call was not made: ${messageOf(thrown)}`;
      return blocked(
        call,
        "HOOK_FAILED",
        reason,
        "Report it to the operator; the call itself may be right.",
        {
          hook: hook.name,
        },
      );
    }
    const stopped = takeAnswer(call, hook, said);
    if (stopped) return stopped;
  }
  return undefined;
}

function takeAnswer(
  call: Call,
  hook: ToolHook,
  said: BeforeToolCall | undefined | void,
): ToolOutcome | undefined {
  if (said === undefined || said === null) return undefined;
  if (typeof said !== "object") {
    return blocked(
      call,
      "HOOK_FAILED",
      `The hook ${hook.name} answered neither nothing nor an object.`,
      undefined,
      {
        hook: hook.name,
      },
    );
  }
  if (said.block !== undefined) {
    return blocked(call, "HOOK_BLOCKED", String(said.block), said.fix, { hook: hook.name });
  }
  if (said.ask !== undefined) call.askedByHook ??= { hook: hook.name, reason: String(said.ask) };
  if ("arguments" in said && said.arguments !== undefined) {
    // A copy: what is decided about must not change afterwards.
    call.request.arguments = structuredClone(said.arguments);
  }
  return undefined;
}

/** Result middleware: each hook gets what the one before it made. A result that was there is never lost to a hook. */
export async function transformResult(call: Call, outcome: ToolOutcome): Promise<ToolOutcome> {
  if (outcome.kind !== "ok") return outcome;
  let { content, details } = outcome;
  for (const hook of call.session.settings.hooks) {
    if (hook.transformResult === undefined) continue;
    const before = { content: [...content], details };
    try {
      const made = await inTime(call, hook, (about) => hook.transformResult!(about, before), call.args);
      if (made !== undefined && made !== null) {
        ({ content, details } = boundForCall(call, normalizeResult(made, call.toolName)));
      }
    } catch (thrown) {
      diagnose(call, hook, thrown);
    }
  }
  return { ...outcome, content, details };
}

/** Tells the observers. Nobody waits for them. */
export function runHooksAfter(call: Call, outcome: ToolOutcome): void {
  if (call.tool === undefined) return;
  for (const hook of call.session.settings.hooks) {
    if (hook.afterToolCall === undefined) continue;
    const args = call.isPrepared ? call.args : call.request.arguments;
    inTime(call, hook, (about) => hook.afterToolCall!(about, outcome), args, false).catch((thrown: unknown) =>
      diagnose(call, hook, thrown),
    );
  }
}

function diagnose(call: Call, { name }: ToolHook, thrown: unknown): void {
  const message = messageOf(thrown);
  call.session.settings.logger.warn(`The hook ${name} failed.`, { call: call.id, message });
  call.session.emit({
    type: "hook-failed",
    toolCallId: call.id,
    toolName: call.toolName,
    hook: name,
    message,
  });
}

async function inTime<T>(
  call: Call,
  hook: ToolHook,
  run: (about: HookCall) => T | Promise<T>,
  args: unknown,
  isPartOfCall = true,
): Promise<T> {
  const limit = hook.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    controller.abort(reason);
    reject(reason);
  };
  const timer = startTimer(() => stop(late(limit)), limit);
  const outer = isPartOfCall ? signalOf(call) : undefined;
  const onAbort = () => stop(new Error("the call was aborted"));
  if (outer?.aborted === true) onAbort();
  outer?.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, startHook(() => run(aboutOf(call, args, controller.signal)))]);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", onAbort);
  }
}

/** A function that throws at once rejects, too. */
async function startHook<T>(run: () => T | Promise<T>): Promise<T> {
  return run();
}

function aboutOf(call: Call, args: unknown, signal: AbortSignal): HookCall {
  const { session, options } = call;
  const sender = options.sender ?? session.facts.sender;
  return {
    toolCallId: call.id,
    sessionKey: session.key,
    session: session.facts,
    tool: call.tool!.facts,
    arguments: structuredClone(args),
    ...(sender === undefined ? {} : { sender }),
    ...(options.parentCallId === undefined ? {} : { parentCallId: options.parentCallId }),
    signal,
  };
}

function late(limit: number): HaftError {
  return new HaftError("HOOK_TIMEOUT", `it took longer than ${limit / 1000} s`, { category: "operational" });
}
