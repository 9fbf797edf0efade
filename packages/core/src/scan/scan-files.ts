import { isThenable } from "@haft/utils";
import type { DirectoryEntry, FileSystem, Mount, Workspace } from "../contract/ports.ts";

export type OuterIgnores = Awaited<ReturnType<NonNullable<FileSystem["outerIgnores"]>>>;
type Answer<T> = T | PromiseLike<T>;

/** Accesses the files of a scan. On the host, all answers are immediate. */
export interface ScanFiles {
  readonly mounts: readonly Pick<Mount, "path">[];
  realpath(path: string): Answer<string>;
  list(path: string, limit: number): Answer<{ entries: DirectoryEntry[]; truncated: boolean }>;
  read(path: string, length: number): Answer<Uint8Array>;
  type(path: string): Answer<DirectoryEntry["type"] | undefined>;
  outerIgnores(root: string): Answer<OuterIgnores | undefined>;
}

/** Yields each promise and receives its value, so one algorithm serves synchronous and asynchronous files. */
export type Steps<T> = Generator<unknown, T, unknown>;

export function* wait<T>(answer: Answer<T>): Steps<T> {
  return isThenable(answer) ? ((yield answer) as T) : answer;
}

export async function runSteps<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    step = await answerStep(steps, step.value);
  }
  return step.value;
}

/** Sends the value of a promise back, or its error. */
export async function answerStep<T>(steps: Steps<T>, promise: unknown): Promise<IteratorResult<unknown, T>> {
  let value: unknown;
  try {
    value = await promise;
  } catch (thrown) {
    return steps.throw(thrown);
  }
  return steps.next(value);
}

export function workspaceFiles(workspace: Workspace): ScanFiles {
  const { fs } = workspace;
  return {
    mounts: workspace.describe().mounts,
    realpath: (path) => fs.realpath(path),
    list: (path, limit) => fs.list(path, { limit }),
    read: async (path, length) => (await fs.read(path, { length })).bytes,
    type: async (path) => (await fs.stat(path, { follow: false }))?.type,
    outerIgnores: (root) => fs.outerIgnores?.(root),
  };
}
