import type { ToolContext, ToolResult, ToolUpdate } from "@haft/core";
import { readResult } from "../results/read-result.ts";
import type { ForeignTool } from "./foreign-tool.ts";

/** A stream that never waits would block timers. */
const IN_A_ROW = 64;

/** Converts every value of the tool to one result. Its errors stay thrown. */
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
      // Invalid progress is not shown; the result is checked later.
    }
  };
  // A deep copy, because the record of the call must stay unchanged.
  const args = structuredClone(params);
  const answered: unknown = await tool.run({ toolCallId, args, signal, update, context });
  return read(isStream(answered) ? await lastOf(answered, signal, update) : answered);
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== "object" || value === null || value instanceof ReadableStream) return false;
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

async function lastOf(
  stream: AsyncIterable<unknown>,
  signal: AbortSignal,
  update: (value: unknown) => void,
): Promise<unknown> {
  const iterator = stream[Symbol.asyncIterator]();
  // A race with one shared promise would retain all yielded values.
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
    // It may never settle.
    void leave(iterator).catch(() => {});
    throw thrown;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Converts a synchronous error to a rejection. */
async function leave(iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.();
}
