import { HaftError } from "@haft/core";
import { withPathLocks } from "@haft/tools-fs/engine";
import { withoutUndefined } from "@haft/utils";
import { resolve } from "node:path";
import type { InstallOptions } from "../packages/install-package.ts";

/** Milliseconds: another process may have large downloads. */
const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * Holds a lock.
 *
 * @throws HaftError `FILE_BUSY` if another process holds it for ten minutes
 */
export async function withEditLock<T>(
  { target: { folder }, withProgress, signal }: Pick<InstallOptions, "target" | "withProgress" | "signal">,
  work: () => Promise<T>,
): Promise<T> {
  const targets = [{ path: folder, real: resolve(folder, "haft plugins") }];
  let began: (() => void) | undefined;
  const beginning = new Promise<void>((done) => (began = done));
  let hasBegun = false;
  const start = () => {
    hasBegun = true;
    began?.();
    return work();
  };
  try {
    return await withPathLocks(targets, start, { waitMs: 0 });
  } catch (thrown) {
    if (hasBegun || !HaftError.is(thrown) || thrown.code !== "FILE_BUSY") throw thrown;
  }
  const running = withPathLocks(targets, start, withoutUndefined({ waitMs: LONGEST_WAIT_MS, signal }));
  await withProgress("another haft plugins works there: waiting for it", async () => {
    await Promise.race([beginning, running]);
  });
  return running;
}
