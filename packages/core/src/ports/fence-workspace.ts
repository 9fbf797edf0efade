import type { Fence } from "../contract/ledger-port.ts";
import type { FileSystem, Workspace } from "../contract/ports.ts";
import type { Processes } from "../contract/process-port.ts";

/**
 * The same workspace, in which nothing begins any more once the fence says so. It is asked here, before an effect is
 * handed on, and goes along with it: whoever carries that out asks again, as the last thing before. A workspace that
 * knows nothing of fences is so held as well as can be from outside.
 *
 * Made once for a session: what keeps something by a session's files or processes keeps it by these. Those of workspaces
 * that are made of it have the very same processes.
 *
 * @param fence its end is asked for at each effect, so it may be put off meanwhile
 */
export function fenceWorkspace(workspace: Workspace, fence: Fence): Workspace {
  let processes: Processes | undefined;
  return fenced(workspace, fence, () => (processes ??= fenceProcesses(() => workspace.processes!, fence)));
}

function fenced(workspace: Workspace, fence: Fence, processes: () => Processes): Workspace {
  const made: Workspace = {
    fs: fenceFiles(workspace.fs, fence),
    describe: () => workspace.describe(),
    ...(workspace.withRoot && {
      withRoot: (name: string, path: string) => fenced(workspace.withRoot!(name, path), fence, processes),
    }),
    ...(workspace.withConsent && {
      withConsent: (places: readonly string[]) => fenced(workspace.withConsent!(places), fence, processes),
    }),
  };
  if (!("processes" in workspace)) return made;
  // Asked for when somebody wants them: nothing is opened before.
  return Object.defineProperty(made, "processes", { enumerable: true, get: processes });
}

function fenceFiles(fs: FileSystem, fence: Fence): FileSystem {
  const through = <T>(effect: () => Promise<T>): Promise<T> => behind(fence, effect);
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
    ...(fs.outerIgnores && { outerIgnores: (path) => fs.outerIgnores!(path) }),
  };
}

/** What ends something is not fenced: whoever has lost a session may still end what it has started. */
function fenceProcesses(processes: () => Processes, fence: Fence): Processes {
  const through = <T>(effect: () => Promise<T>): Promise<T> => behind(fence, effect);
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

/** Refused by rejecting, as every failure of a port is told. */
function behind<T>(fence: Fence, effect: () => Promise<T>): Promise<T> {
  try {
    fence.check();
    return effect();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}
