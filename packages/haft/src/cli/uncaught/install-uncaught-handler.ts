import { getErrorMessage } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { handleUncaught } from "@haft/plugin-loader/internal/plugins";
import { escapeInvisible } from "@haft/utils";
import { AsyncResource } from "node:async_hooks";

/** What plugins may throw within a second: more is no mistake that passes. */
const MAX_A_SECOND = 20;
/** Milliseconds that running calls have to be ended and recorded. */
const LAST_CALLS_MS = 10_000;

let isHeld = false;

/**
 * From now on what a plugin throws in a timer or a listener of its own is told, and ends nothing: other calls go on. What Haft itself
 * throws ends the process, as a signal would: what runs is ended and recorded. For programs that are Haft's; in the process of
 * somebody else, what it ends with is theirs to say.
 */
export function installUncaughtHandler(): void {
  if (isHeld) return;
  isHeld = true;
  // Plugins may put another one in its place.
  // oxlint-disable-next-line typescript/unbound-method
  const { exit } = process;
  let recent: number[] = [];
  let isEnding = false;
  // A plugin's code may have thrown, and what ends the process is not its.
  const end = AsyncResource.bind((why: string) => {
    if (isEnding) return;
    isEnding = true;
    console.error(`haft: ${why}`);
    const fail = () => exit.call(process, 1);
    if (process.listenerCount("SIGTERM") === 0) return fail();
    // Whatever a signal would have made of it.
    process.once("exit", () => void (process.exitCode = 1));
    setTimeout(fail, LAST_CALLS_MS).unref();
    process.emit("SIGTERM", "SIGTERM");
  });
  process.on("uncaughtException", (thrown: unknown) => {
    if (!handleUncaught(thrown)) return end(`This is a mistake in Haft, and ends it.\n${shown(thrown)}`);
    const now = performance.now();
    recent = [...recent.filter((at) => now - at < 1_000), now];
    if (recent.length > MAX_A_SECOND)
      end(
        `Plugins threw more than ${MAX_A_SECOND} times in a second, where nobody could catch it. This ends it.`,
      );
  });
}

function shown(thrown: unknown): string {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const text = typeof stack === "string" ? stack : getErrorMessage(thrown);
  return redactSecrets(text).split("\n").map(escapeInvisible).join("\n");
}
