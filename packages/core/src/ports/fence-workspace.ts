import type { Fence } from "../contract/ledger-port.ts";
import type { FileSystem, Workspace } from "../contract/ports.ts";
import type { Processes } from "../contract/process-port.ts";

/**
 * Wraps a workspace so that no effect begins after the fence fails. The implementation checks it again, right before the effect.
 *
 * A session creates it once, so that caches by files or processes work. Derived workspaces share its processes.
 *
 * @param fence Its end is read at each effect, so it may move.
 */
export function fenceWorkspace(workspace: Workspace, fence: Fence): Workspace {
  let processes: Processes | undefined;
  const held: Held = { fence, checkFence: createCheck(fence) };
  return fenced(workspace, held, () => (processes ??= fenceProcesses(() => workspace.processes!, held)));
}

interface Held {
  fence: Fence;
  checkFence: () => void;
  elsewhere?: WeakMap<Workspace, Workspace>;
}

const FRESH_MS = 20;

/** Consecutive effects share a check, which costs microseconds. It runs again after a pause or sleep. */
function createCheck(fence: Fence): () => void {
  let moment = Number.NEGATIVE_INFINITY;
  let time = 0;
  return () => {
    const [now, date] = [performance.now(), Date.now()];
    if (now - moment < FRESH_MS && Math.abs(date - time) < FRESH_MS) return;
    fence.check();
    [moment, time] = [now, date];
  };
}

function fenced(workspace: Workspace, held: Held, processes: () => Processes): Workspace {
  const made: Workspace = {
    ...elsewhereOf(workspace, held),
    fs: fenceFiles(workspace.fs, held),
    describe: () => workspace.describe(),
    ...(workspace.withRoot && {
      withRoot: (name: string, path: string) => fenced(workspace.withRoot!(name, path), held, processes),
    }),
    ...(workspace.withConsent && {
      withConsent: (paths: readonly string[]) => fenced(workspace.withConsent!(paths), held, processes),
    }),
  };
  if (!("processes" in workspace)) return made;
  return Object.defineProperty(made, "processes", { enumerable: true, get: processes });
}

function elsewhereOf(workspace: Workspace, held: Held): Pick<Workspace, "openNodeWorkspace"> {
  if (workspace.openNodeWorkspace === undefined) return {};
  const known = (held.elsewhere ??= new WeakMap());
  return {
    async openNodeWorkspace(node) {
      const there = await workspace.openNodeWorkspace!(node);
      let made = known.get(there);
      if (made === undefined) {
        let processes: Processes | undefined;
        made = fenced(there, held, () => (processes ??= fenceProcesses(() => there.processes!, held)));
        known.set(there, made);
      }
      return made;
    },
  };
}

function fenceFiles(fs: FileSystem, { fence, checkFence }: Held): FileSystem {
  const through = <T>(effect: () => Promise<T>): Promise<T> => behind(checkFence, effect);
  return {
    stat: (path, options) => fs.stat(path, options),
    realpath: (path) => fs.realpath(path),
    list: (path, options) => fs.list(path, options),
    read: (path, options) => fs.read(path, options),
    write: (path, bytes, options) => through(() => fs.write(path, bytes, { ...options, fence })),
    append: (path, bytes, options) => through(() => fs.append(path, bytes, { ...options, fence })),
    mkdirp: (path, options) => through(() => fs.mkdirp(path, { ...options, fence })),
    remove: (path, options) => through(() => fs.remove(path, { ...options, fence })),
    rename: (from, to, options) => through(() => fs.rename(from, to, { ...options, fence })),
    ...(fs.check && { check: (path, access, options) => fs.check!(path, access, options) }),
    ...(fs.scan && { scan: (path, options) => fs.scan!(path, options) }),
    ...(fs.outerIgnores && { outerIgnores: (path) => fs.outerIgnores!(path) }),
  };
}

/** A process without the lease may still end processes. */
function fenceProcesses(processes: () => Processes, { fence, checkFence }: Held): Processes {
  const through = <T>(effect: () => Promise<T>): Promise<T> => behind(checkFence, effect);
  return {
    start: (callerId, spec, options) =>
      through(() => processes().start(callerId, spec, { ...options, fence })),
    write: (id, bytes, options) => through(() => processes().write(id, bytes, { ...options, fence })),
    closeStdin: (id, options) => through(() => processes().closeStdin(id, { ...options, fence })),
    signal: (id, signal, options) => through(() => processes().signal(id, signal, { ...options, fence })),
    identify: (names, where) => processes().identify(names, where),
    info: (id) => processes().info(id),
    list: () => processes().list(),
    read: (id, from, options) => processes().read(id, from, options),
    kill: (id, options) => processes().kill(id, options),
    resize: (id, size) => processes().resize(id, size),
    wait: (id, options) => processes().wait(id, options),
    notices: (met) => processes().notices?.(met) ?? [],
    release: (id) => processes().release(id),
  };
}

function behind<T>(checkFence: () => void, effect: () => Promise<T>): Promise<T> {
  try {
    checkFence();
    return effect();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}
