import type { LockTarget, PathLockOptions } from "./path-locks.ts";

/** {@link "./path-locks.ts"}, loaded when somebody holds something: most commands hold nothing. */
export async function withPathLocks<Result>(
  targets: readonly LockTarget[],
  run: () => Promise<Result>,
  options?: PathLockOptions,
): Promise<Result> {
  const locks = await import("./path-locks.ts");
  return locks.withPathLocks(targets, run, options);
}
