import type { FileSystem } from "../contract/ports.ts";
import type { Processes } from "../contract/process-port.ts";

const CHANGES = { write: true, append: true, mkdirp: true, remove: true, rename: true } as const;

export function changesFiles(operation: keyof FileSystem): boolean {
  return operation in CHANGES;
}

export function mapFileSystem(
  files: (operation: keyof FileSystem, paths: readonly string[]) => FileSystem | Promise<FileSystem>,
  spelled: (path: string) => string = (path) => path,
): FileSystem {
  const on = async (operation: keyof FileSystem, ...paths: string[]) => files(operation, paths);
  return {
    stat: async (path, options) => (await on("stat", path)).stat(spelled(path), options),
    realpath: async (path) => (await on("realpath", path)).realpath(spelled(path)),
    list: async (path, options) => (await on("list", path)).list(spelled(path), options),
    scan: async (path, options) => (await on("scan", path)).scan?.(spelled(path), options),
    read: async (path, options) => (await on("read", path)).read(spelled(path), options),
    write: async (path, bytes, { like, ...options } = {}) => {
      const model = like === undefined ? {} : { like: spelled(like) };
      return (await on("write", path)).write(spelled(path), bytes, { ...options, ...model });
    },
    append: async (path, bytes, options) => (await on("append", path)).append(spelled(path), bytes, options),
    mkdirp: async (path, options) => (await on("mkdirp", path)).mkdirp(spelled(path), options),
    remove: async (path, options) => (await on("remove", path)).remove(spelled(path), options),
    rename: async (from, to, options) =>
      (await on("rename", from, to)).rename(spelled(from), spelled(to), options),
    check: async (path, access, options) => (await on("check", path)).check?.(spelled(path), access, options),
  };
}

export function mapProcesses(
  processes: (id: string | undefined) => Processes | Promise<Processes>,
): Processes {
  const on = async (id?: string) => processes(id);
  return {
    start: async (callerId, spec, options) => (await on()).start(callerId, spec, options),
    identify: async (names, where) => (await on()).identify(names, where),
    info: async (id) => (await on(id)).info(id),
    list: async () => (await on()).list(),
    read: async (id, from, options) => (await on(id)).read(id, from, options),
    write: async (id, bytes, options) => (await on(id)).write(id, bytes, options),
    closeStdin: async (id, options) => (await on(id)).closeStdin(id, options),
    signal: async (id, signal, options) => (await on(id)).signal(id, signal, options),
    kill: async (id, options) => (await on(id)).kill(id, options),
    resize: async (id, size) => (await on(id)).resize(id, size),
    wait: async (id, options) => (await on(id)).wait(id, options),
    release: async (id) => (await on(id)).release(id),
  };
}
