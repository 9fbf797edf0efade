let holding = 0;
let writingOwn = false;
type Write = typeof process.stdout.write;
let before: Write;
let guarded: Write | undefined;

/**
 * What is written to standard output goes to standard error instead, but for {@link bypassCapture}: answers are there, and
 * programs read them. For as long as a plugin is loaded, or runs.
 *
 * @returns ends it
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

export function bypassCapture<T>(write: () => T): T {
  const outer = writingOwn;
  writingOwn = true;
  try {
    return write();
  } finally {
    writingOwn = outer;
  }
}
