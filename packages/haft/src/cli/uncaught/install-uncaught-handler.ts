import { AsyncResource } from "node:async_hooks";

/** More errors indicate permanent failure. */
const MAX_A_SECOND = 20;
/** Milliseconds for running calls to be recorded. */
const LAST_CALLS_MS = 10_000;

let isHeld = false;

/**
 * Logs errors from a plugin's timers or listeners. Haft's own errors end the process like a signal: running
 * calls end and are recorded.
 */
export function installUncaughtHandler(): void {
  if (isHeld) return;
  isHeld = true;
  // Plugins may replace it.
  // oxlint-disable-next-line typescript/unbound-method
  const { exit } = process;
  let recent: number[] = [];
  let isEnding = false;
  // Leaves the context of the throwing plugin.
  const end = AsyncResource.bind((why: string) => {
    if (isEnding) return;
    isEnding = true;
    console.error(`haft: ${why}`);
    const fail = () => exit.call(process, 1);
    if (process.listenerCount("SIGTERM") === 0) return fail();
    // Overrides the signal handler's exit code.
    process.once("exit", () => void (process.exitCode = 1));
    setTimeout(fail, LAST_CALLS_MS).unref();
    process.emit("SIGTERM", "SIGTERM");
  });
  const handle = async (thrown: unknown): Promise<void> => {
    // Loaded only if needed, for fast commands.
    const { handleUncaught } = await import("@haft/plugin-loader/internal/plugins");
    if (!handleUncaught(thrown))
      return end(`This is an error in Haft, which ends the process.\n${await describe(thrown)}`);
    const now = performance.now();
    recent = [...recent.filter((at) => now - at < 1_000), now];
    if (recent.length > MAX_A_SECOND)
      end(`Plugins threw more than ${MAX_A_SECOND} uncaught errors in one second, which ends the process.`);
  };
  process.on("uncaughtException", (thrown: unknown) => void handle(thrown));
}

async function describe(thrown: unknown): Promise<string> {
  const [{ getErrorMessage }, { redactSecrets }, { escapeInvisible }] = await Promise.all([
    import("@haft/core"),
    import("@haft/core/internal"),
    import("@haft/utils"),
  ]);
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  const text = typeof stack === "string" ? stack : getErrorMessage(thrown);
  return redactSecrets(text).split("\n").map(escapeInvisible).join("\n");
}
