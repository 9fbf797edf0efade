import { textOf, type ToolResult } from "@haft/core";
import type { ServerContext } from "@modelcontextprotocol/server";

/** What a call says first is told at once, and from then on no more often than this, in milliseconds. */
const AT_ONCE = 10;
const LEAST_MS = 250;
/** So often a client hears of a call that says nothing itself: many count their patience from the last they heard. */
const BEAT_MS = 5_000;
const MOST_CHARACTERS = 200;

/** Tells a client what a call has so far, where it asked to be told. */
export function tellProgress({ mcpReq }: ServerContext): {
  onUpdate: ((partial: ToolResult) => void) | undefined;
  end(): void;
} {
  const { _meta: { progressToken } = {} } = mcpReq;
  if (progressToken === undefined) return { onUpdate: undefined, end() {} };
  let progress = 0;
  let last = performance.now();
  const tell = (message?: string) => {
    last = performance.now();
    const params = { progressToken, progress: ++progress, ...(message && { message }) };
    // Who is gone hears nothing.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  const beat = setInterval(() => performance.now() - last >= BEAT_MS && tell(), BEAT_MS);
  beat.unref();
  return {
    onUpdate(partial) {
      if (performance.now() - last >= LEAST_MS || progress < AT_ONCE) tell(lastLine(textOf(partial.content)));
    },
    end: () => clearInterval(beat),
  };
}

function lastLine(words: string): string {
  const end = words.trimEnd();
  return end
    .slice(end.lastIndexOf("\n") + 1)
    .slice(-MOST_CHARACTERS)
    .toWellFormed();
}
