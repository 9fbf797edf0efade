import type { FileSystem } from "@haft/core";

/** The files of a sandbox, opened anew where it was lost, by paths in the spelling of the host or of the sandbox. */
export function sandboxFiles(open: () => Promise<FileSystem>, inside: (path: string) => string): FileSystem {
  return {
    stat: async (path, options) => (await open()).stat(inside(path), options),
    realpath: async (path) => (await open()).realpath(inside(path)),
    list: async (path, options) => (await open()).list(inside(path), options),
    read: async (path, options) => (await open()).read(inside(path), options),
    write: async (path, bytes, options) => (await open()).write(inside(path), bytes, options),
    append: async (path, bytes) => (await open()).append(inside(path), bytes),
    mkdirp: async (path) => (await open()).mkdirp(inside(path)),
    remove: async (path, options) => (await open()).remove(inside(path), options),
    rename: async (path, to, options) => (await open()).rename(inside(path), inside(to), options),
    check: async (path, access, options) => (await open()).check?.(inside(path), access, options),
  };
}
