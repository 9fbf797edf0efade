/** Whether it is to be waited for, whichever promise it is. What is there at once need not wait for a turn. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
