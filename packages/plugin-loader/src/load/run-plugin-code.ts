import { getErrorMessage } from "@haft/core";
import { readText } from "@haft/system";
import { AsyncLocalStorage, executionAsyncResource } from "node:async_hooks";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pluginLoaderError } from "../errors.ts";
import { markPluginOutput } from "./capture-stdout.ts";

interface Inside {
  use: string;
  /** Its source files: real paths, including its packages. */
  files: Readonly<Record<string, unknown>>;
  /** Called instead of ending the process: after `exit`, an uncaught error, or an unhandled rejection. */
  onExit: (thrown: Error) => void;
  isAwaited: boolean;
}

const inside = new AsyncLocalStorage<Inside>();
const ran = new Map<string, Inside>();
let isGuarded = false;

/** Later errors, including errors in timers, are attributed to the plugin and do not end the process. */
export function runPluginCode<T>(
  { use, files, onExit }: Omit<Inside, "isAwaited">,
  work: () => T | Promise<T>,
): T | Promise<T> {
  guardProcess();
  const here: Inside = { use, files, onExit, isAwaited: true };
  ran.set(use, here);
  const done = () => {
    here.isAwaited = false;
  };
  return inside.run(here, () => {
    let answer: T | Promise<T>;
    try {
      answer = markPluginOutput(work);
    } catch (thrown) {
      done();
      throw thrown;
    }
    if (!(answer instanceof Promise)) {
      done();
      return answer;
    }
    return answer.finally(done);
  });
}

/**
 * Reports an uncaught error, in a timer or a listener, if a plugin threw it: its stack starts in code of the plugin, or in code of Node
 * while the plugin ran.
 *
 * @returns whether a plugin threw it; then nothing of the host was interrupted, and the process may continue
 * @example
 * ```ts
 * import { handleUncaught } from "@haft/plugin-loader/internal/plugins";
 * process.on("uncaughtException", (error) => {
 *   if (handleUncaught(error)) return;
 *   console.error(error);
 *   process.exit(1);
 * });
 * ```
 */
export function handleUncaught(thrown: unknown): boolean {
  const whose = throwerOf(thrown);
  if (whose === undefined) return false;
  const message = `${whose.use} threw an uncaught error in a timer or a listener: ${getErrorMessage(thrown)}`;
  whose.onExit(pluginLoaderError("PLUGIN_UNHANDLED", message.replace(/\.?$/, ".")));
  return true;
}

function throwerOf(thrown: unknown): Inside | undefined {
  const here = inside.getStore();
  const file = thrownIn(thrown);
  if (file === undefined) return here;
  if (isOfHaft(file)) return undefined;
  return [here, ...ran.values()].find((one) => one?.files[file] !== undefined);
}

const FRAME = /^ {4}at (?:.* \()?(?<file>(?:file:\/\/)?\/.*?):\d+:\d+\)?$/gm;

function thrownIn(thrown: unknown): string | undefined {
  const { stack, message } = (thrown instanceof Error ? thrown : {}) as {
    stack?: unknown;
    message?: unknown;
  };
  if (typeof stack !== "string") return undefined;
  // A message may contain text like a frame.
  const [frame] = stack.replace(String(message), "").matchAll(FRAME);
  const file = frame?.groups?.["file"];
  return file?.startsWith("file:") ? fileURLToPath(file) : file;
}

function isOfHaft(file: string): boolean {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) return /"name":\s*"(?:haft|@haft\/[^"]*)"/.test(readText(manifest));
  }
  return false;
}

function guardProcess(): void {
  if (isGuarded) return;
  isGuarded = true;
  guardRejections();
  // Called with its process.
  // oxlint-disable-next-line typescript/unbound-method
  const { exit } = process;
  process.exit = (...code) => {
    const here = inside.getStore();
    // An undefined code differs from a missing code.
    if (here === undefined) return exit.apply(process, code);
    const thrown = pluginLoaderError(
      "PLUGIN_UNHANDLED",
      `${here.use} called process.exit, which was not done.`,
    );
    here.onExit(thrown);
    // If no caller would catch an exception, execution continues.
    if (here.isAwaited && !isCallback()) throw thrown;
    return undefined as never;
  };
}

/** The process may be started to ignore rejections. */
function guardRejections(): void {
  const options = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" ");
  if (/--unhandled-rejections[= ](?:none|warn)\b/.test(options)) return;
  process.on("unhandledRejection", (thrown) => {
    const here = inside.getStore();
    if (here !== undefined) {
      const message = `${here.use} left a rejected promise unhandled: ${getErrorMessage(thrown)}`;
      here.onExit(pluginLoaderError("PLUGIN_UNHANDLED", message.replace(/\.?$/, ".")));
    } else if (process.listenerCount("unhandledRejection") === 1) {
      // Without other listeners, it ends the process.
      throw thrown;
    }
  });
}

function isCallback(): boolean {
  return /^(?:Timeout|Immediate)$/.test(executionAsyncResource()?.constructor?.name ?? "");
}
