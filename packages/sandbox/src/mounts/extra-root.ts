import type { FileSystem } from "@haft/core";
import { changesFiles, mapFileSystem } from "@haft/core/internal";
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
  const mapped = mapFileSystem(
    (operation, paths) => {
      const there = paths.find(isExtra);
      if (there === undefined) return files;
      if (!changesFiles(operation)) return extra;
      throw failure("READ_ONLY", { verb: "change", path: there }, { fix: "Write somewhere else." });
    },
    // The rest may be spelled in any way: behind `./` it is a relative path and no other.
    (path) => (isExtra(path) ? `./${path.slice(prefix.length)}` : path),
  );
  return {
    ...mapped,
    async realpath(path) {
      const real = await mapped.realpath(path);
      return isExtra(path) ? prefix + real.slice(root.length).replace(/^\//, "") : real;
    },
  };
}
