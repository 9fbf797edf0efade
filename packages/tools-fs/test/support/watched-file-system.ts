import type { FileSystem } from "@haft/core";

/** One call of a file system, counted from 1. */
export interface WatchedCall {
  number: number;
  operation: keyof FileSystem;
  /** Whether it may change something. */
  changes: boolean;
}

const CHANGING = new Set<keyof FileSystem>(["write", "append", "mkdirp", "remove", "rename"]);

/** Runs `before` and `after` around every call; what they throw is the call's failure. */
export function watchFileSystem(
  fs: FileSystem,
  hooks: {
    before?: (call: WatchedCall) => void | Promise<void>;
    after?: (call: WatchedCall) => void | Promise<void>;
  },
): FileSystem {
  let number = 0;
  return new Proxy(fs, {
    get(target, operation: keyof FileSystem) {
      const original = target[operation] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]): Promise<unknown> => {
        number += 1;
        const call = { number, operation, changes: CHANGING.has(operation) };
        await hooks.before?.(call);
        const result = await original.apply(target, args);
        await hooks.after?.(call);
        return result;
      };
    },
  });
}
