import { AsyncLocalStorage } from "node:async_hooks";

let holding = 0;
let isBypassed = false;
type Write = typeof process.stdout.write;
let before: Write;
let guarded: Write | undefined;

/**
 * Redirects standard output to standard error while plugins run, so that standard output contains only results ({@link bypassCapture}).
 * Captures may overlap.
 *
 * @returns a function that ends the capture
 * @example
 * ```ts
 * import { captureStdout } from "@haft/plugin-loader/internal/plugins";
 * const release = captureStdout();
 * console.log("This line goes to standard error.");
 * release();
 * ```
 */
export function captureStdout(): () => void {
  if (holding++ === 0) {
    // Restored unless it was replaced in between.
    // oxlint-disable-next-line typescript/unbound-method
    const write = (before = process.stdout.write);
    const held = (...args: Parameters<Write>) =>
      isBypassed ? write.apply(process.stdout, args) : process.stderr.write(...args);
    process.stdout.write = guarded = held as Write;
  }
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    // A later replacement restores the original itself.
    if (--holding === 0 && process.stdout.write === guarded) process.stdout.write = before;
  };
}

/**
 * Runs a function without capturing its standard output ({@link captureStdout}).
 *
 * @example
 * ```ts
 * import { bypassCapture } from "@haft/plugin-loader/internal/plugins";
 * bypassCapture(() => process.stdout.write(`${JSON.stringify({ ready: true })}\n`));
 * ```
 */
export function bypassCapture<T>(write: () => T): T {
  const outer = isBypassed;
  isBypassed = true;
  try {
    return write();
  } finally {
    isBypassed = outer;
  }
}

const pluginCode = new AsyncLocalStorage<true>();

/** Marks what `work` prints as a plugin's ({@link capturePluginOutput}). */
export function markPluginOutput<T>(work: () => T): T {
  return pluginCode.run(true, work);
}

/**
 * Redirects what plugins print on standard output to standard error, for the rest of the process.
 *
 * @example
 * ```ts
 * import { capturePluginOutput } from "@haft/plugin-loader/internal/output";
 * capturePluginOutput();
 * ```
 */
export function capturePluginOutput(): void {
  // Called with its stream.
  // oxlint-disable-next-line typescript/unbound-method
  const { write } = process.stdout;
  const held = (...args: Parameters<Write>) =>
    pluginCode.getStore() === undefined || isBypassed
      ? write.apply(process.stdout, args)
      : process.stderr.write(...args);
  process.stdout.write = held as Write;
}
