let holding = 0;
let writingOwn = false;
type Write = typeof process.stdout.write;
let before: Write;
let guarded: Write | undefined;

/**
 * Sends what is written to standard output to standard error instead, while plugins are loaded or run. Standard output stays free for
 * answers that programs read ({@link bypassCapture}). Captures may overlap.
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
    // Put back as it was, unless it was replaced meanwhile.
    // oxlint-disable-next-line typescript/unbound-method
    const write = (before = process.stdout.write);
    const held = (...args: Parameters<Write>) =>
      writingOwn ? write.apply(process.stdout, args) : process.stderr.write(...args);
    process.stdout.write = guarded = held as Write;
  }
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    // Whoever has put something in front of it meanwhile takes that away themselves.
    if (--holding === 0 && process.stdout.write === guarded) process.stdout.write = before;
  };
}

/**
 * Runs a function whose writes to standard output are not captured ({@link captureStdout}). Returns its result.
 *
 * @example
 * ```ts
 * import { bypassCapture } from "@haft/plugin-loader/internal/plugins";
 * bypassCapture(() => process.stdout.write(`${JSON.stringify({ ready: true })}\n`));
 * ```
 */
export function bypassCapture<T>(write: () => T): T {
  const outer = writingOwn;
  writingOwn = true;
  try {
    return write();
  } finally {
    writingOwn = outer;
  }
}
