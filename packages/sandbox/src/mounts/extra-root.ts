import type { FileSystem } from "@haft/core";
import { createHostWorkspace } from "@haft/workspace";
import { failure } from "@haft/workspace/internal/wire";

/**
 * A file system with one more root that is read on the host, beside those of the sandbox: `name:path` and nothing
 * else reaches it, and nothing changes it. Commands do not see it.
 *
 * @throws HaftError `ROOT_INVALID`
 */
export function withExtraRoot(files: FileSystem, name: string, folder: string): FileSystem {
  const prefix = `${name}:`;
  const host = createHostWorkspace({
    root: folder,
    rootAccess: "ro",
    credentials: [],
    hardLinks: "refuse",
  });
  const extra = host.fs;
  const root = host.describe().cwd;
  const isExtra = (path: string): boolean => path.startsWith(prefix);
  /** The rest may be spelled in any way: behind `./` it is a relative path and no other. */
  const within = (path: string): string => `./${path.slice(prefix.length)}`;
  const look = <T>(path: string, there: (path: string) => Promise<T>, else_: () => Promise<T>): Promise<T> =>
    isExtra(path) ? there(within(path)) : else_();
  const change = async <T>(paths: readonly string[], otherwise: () => Promise<T>): Promise<T> => {
    const refused = paths.find(isExtra);
    if (refused !== undefined)
      throw failure("READ_ONLY", { verb: "change", path: refused }, { fix: "Write somewhere else." });
    return otherwise();
  };
  return {
    stat: (path, options) =>
      look(
        path,
        (rest) => extra.stat(rest, options),
        () => files.stat(path, options),
      ),
    realpath: (path) =>
      look(
        path,
        async (rest) => prefix + (await extra.realpath(rest)).slice(root.length).replace(/^\//, ""),
        () => files.realpath(path),
      ),
    list: (path, options) =>
      look(
        path,
        (rest) => extra.list(rest, options),
        () => files.list(path, options),
      ),
    read: (path, options) =>
      look(
        path,
        (rest) => extra.read(rest, options),
        () => files.read(path, options),
      ),
    write: (path, bytes, options) => change([path], () => files.write(path, bytes, options)),
    append: (path, bytes) => change([path], () => files.append(path, bytes)),
    mkdirp: (path) => change([path], () => files.mkdirp(path)),
    remove: (path, options) => change([path], () => files.remove(path, options)),
    rename: (path, to, options) => change([path, to], () => files.rename(path, to, options)),
    check: (path, access, options) =>
      look(
        path,
        async (rest) => extra.check?.(rest, access, options),
        async () => files.check?.(path, access, options),
      ),
  };
}
