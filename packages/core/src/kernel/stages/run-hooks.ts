import { withoutUndefined, withTimeout } from "@haft/utils";
import type { BeforeToolCall, HookCall, ToolHook } from "../../contract/hooks.ts";
import type { ToolOutcome, ToolResult } from "../../contract/result.ts";
import { DEFAULT_HOOK_MS } from "../../defaults.ts";
import { coreError } from "../../errors.ts";
import { messageWithCauses } from "../../format/causes.ts";
import { copyArguments } from "../../parameters/copy-json.ts";
import { isPlainObject } from "../../parameters/schema/json-schema.ts";
import type { PlannedCall, ResolvedCall, Step } from "../call.ts";
import { normalizeResult } from "../limits/limits.ts";
import { createBlockedOutcome, limitCallResult, createCancelledOutcome } from "../outcome.ts";
import { snapshotArguments } from "./snapshot-request.ts";

export function runHooksBefore(call: ResolvedCall): Promise<Step> | undefined {
  return call.session.settings.hooks.length > 0 ? askHooks(call) : undefined;
}

async function askHooks(call: ResolvedCall): Promise<Step> {
  const { signal } = call;
  for (const hook of call.session.settings.hooks) {
    if (hook.beforeToolCall === undefined) continue;
    try {
      const answer: unknown = await run(call, hook, call.request.arguments, signal, (about) =>
        hook.beforeToolCall?.(about),
      );
      if (!signal.aborted) {
        const stopped = follow(call, hook, readAnswer(answer));
        if (stopped) return stopped;
      }
    } catch (thrown) {
      if (!signal.aborted) return failedBefore(call, hook, thrown);
    }
    if (signal.aborted) return createCancelledOutcome(call, "aborted before it ran.", "none");
  }
  return undefined;
}

const MEMBERS = ["arguments", "ask", "block", "fix"];

/** An invalid answer blocks the call, since it may have been a denial. */
function readAnswer(given: unknown): BeforeToolCall {
  if (given === undefined || given === null) return {};
  if (!isPlainObject(given)) throw new Error("it returned neither undefined nor an object");
  const unknown = Reflect.ownKeys(given).find(
    (key) => !MEMBERS.includes(String(key)) || typeof key === "symbol",
  );
  if (unknown !== undefined)
    throw new Error(`its answer has an unknown member ${JSON.stringify(String(unknown))}`);
  const answer: Record<string, unknown> = {};
  for (const name of MEMBERS) {
    const value = (answer[name] = given[name]);
    if (name !== "arguments" && value !== undefined && typeof value !== "string") {
      throw new Error(`"${name}" in its answer is not a text`);
    }
  }
  return answer;
}

function follow(call: ResolvedCall, { name }: ToolHook, answer: BeforeToolCall): ToolOutcome | undefined {
  if (answer.block !== undefined)
    return createBlockedOutcome(call, "HOOK_BLOCKED", answer.block, answer.fix, { hook: name });
  if (answer.ask !== undefined) call.askedByHook ??= { hook: name, reason: answer.ask };
  // A copy: the evaluated arguments must not change.
  if (answer.arguments !== undefined)
    call.request.arguments = snapshotArguments(answer.arguments, call.tool.tool.maxArgumentCharacters);
  return undefined;
}

function failedBefore(call: ResolvedCall, { name }: ToolHook, thrown: unknown): ToolOutcome {
  const reason = `The hook ${name} failed, so the call was blocked: ${messageWithCauses(thrown)}`;
  const fix = "Report it to the operator; the call itself may be valid.";
  return createBlockedOutcome(call, "HOOK_FAILED", reason, fix, { hook: name });
}

export async function transformResult(call: PlannedCall, outcome: ToolOutcome): Promise<ToolOutcome> {
  if (outcome.kind !== "ok") return outcome;
  call.ended = true;
  const { signal } = call;
  let { content, details } = outcome;
  for (const hook of call.session.settings.hooks) {
    if (hook.transformResult === undefined) continue;
    try {
      const made = await run(call, hook, call.args, signal, (about) =>
        hook.transformResult?.(about, copyOf({ content, details })),
      );
      if (made !== undefined && made !== null) {
        ({ content, details } = limitCallResult(call, normalizeResult(made, call.toolName)));
      }
    } catch (thrown) {
      diagnose(call, hook, thrown);
    }
  }
  return { ...outcome, content, details };
}

export function runHooksAfter(call: ResolvedCall, outcome: ToolOutcome): void {
  for (const hook of call.session.settings.hooks) {
    if (hook.afterToolCall === undefined) continue;
    const args = call.isPrepared ? call.args : call.request.arguments;
    run(call, hook, args, undefined, (about) =>
      hook.afterToolCall?.(about, { ...outcome, ...copyOf(outcome) }),
    ).catch((thrown: unknown) => diagnose(call, hook, thrown));
  }
}

function diagnose(call: ResolvedCall, { name }: ToolHook, thrown: unknown): void {
  const message = messageWithCauses(thrown);
  call.session.settings.logger.warn(`The hook ${name} failed.`, { call: call.id, message });
  call.emit({ type: "hook-failed", hook: name, message });
}

/** Without a signal, the hook survives aborts. */
function run<T>(
  call: ResolvedCall,
  { deadlineMs = DEFAULT_HOOK_MS }: ToolHook,
  args: unknown,
  signal: AbortSignal | undefined,
  hook: (about: HookCall) => T | Promise<T>,
): Promise<T> {
  return withTimeout((stopped) => hook(aboutOf(call, args, stopped)), deadlineMs, {
    error: () => coreError("HOOK_FAILED", `it took longer than ${deadlineMs / 1000} s`),
    signal,
    unref: signal === undefined,
  });
}

function aboutOf(call: ResolvedCall, args: unknown, signal: AbortSignal): HookCall {
  const { session, options } = call;
  const sender = options.sender ?? session.facts.sender;
  return withoutUndefined({
    toolCallId: call.id,
    sessionKey: session.key,
    signal,
    ...structuredClone({ session: session.facts, tool: call.tool.facts, sender }),
    arguments: copyArguments(args),
    parentCallId: options.parentCallId,
  });
}

function copyOf({
  content,
  details,
}: Pick<ToolOutcome, "content" | "details">): ToolResult<Record<string, unknown>> {
  return { content: content.map((block) => ({ ...block })), details: copyOfDetails(details) };
}

function copyOfDetails(details: Record<string, unknown>): Record<string, unknown> {
  try {
    return structuredClone(details);
  } catch {
    return { ...details };
  }
}
