import type { ToolContext, ToolResult, ToolUpdate } from "@haft/core";
import { readResult } from "../results/read-result.ts";
import type { ForeignTool } from "./foreign-tool.ts";

/** Results of one stream that are taken before other work has its turn: one that never waits would let no timer fire. */
const IN_A_ROW = 64;

/** Calls a tool of another framework. Whatever it answers becomes one result; what it throws stays thrown. */
export async function runTool(
  tool: ForeignTool,
  toolCallId: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
  onUpdate: ToolUpdate | undefined,
  context: ToolContext,
): Promise<ToolResult> {
  if (context.sessionKind === "sandboxed")
    context.logger.warn(`${context.toolName} runs in the process of the host, outside of the sandbox.`, {
      call: toolCallId,
    });
  const read = tool.read ?? readResult;
  const update = (value: unknown) => {
    try {
      onUpdate?.(read(value));
    } catch {
      // What there is so far cannot be shown; what it comes to will be judged.
    }
  };
  // To the last member: what is recorded of the call stays what was called.
  const args = structuredClone(params);
  const answered: unknown = await tool.run({ toolCallId, args, signal, update, context });
  return read(isStream(answered) ? await lastOf(answered, signal, update) : answered);
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== "object" || value === null || value instanceof ReadableStream) return false;
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

/** The last of what a stream yields. One that does not end is left when the call is aborted. */
async function lastOf(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal,
  update: (value: unknown) => void,
): Promise<unknown> {
  const iterator = stream[Symbol.asyncIterator]();
  // Of the step that is waited for. No race with one promise for all of them: it would keep whatever was yielded.
  let stop: (reason: unknown) => void = () => {};
  const onAbort = () => stop(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let last: unknown;
  try {
    for (let taken = 1; ; taken++) {
      signal.throwIfAborted();
      const step = await new Promise<IteratorResult<unknown, unknown>>((resolve, reject) => {
        stop = reject;
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (step.done === true) return last === undefined ? step.value : last;
      last = step.value;
      update(last);
      if (taken % IN_A_ROW === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (thrown) {
    // It may never answer: nobody waits for it.
    void leave(iterator).catch(() => {});
    throw thrown;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** What throws at once rejects instead. */
async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.();
}
