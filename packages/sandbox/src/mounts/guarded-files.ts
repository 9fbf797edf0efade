import { type FileSystem, HaftError, type Mount } from "@haft/core";
import { createGuards, failure, type FileRequest, type Guards } from "@haft/workspace/internal/wire";
import { posix } from "node:path";

export function createGuardsProvider(
  projectSettings: readonly string[],
  consent: readonly string[],
  mounts: () => readonly Mount[],
): () => Guards {
  const made = new WeakMap<readonly Mount[], Guards>();
  return () => {
    const now = mounts();
    let guards = made.get(now);
    if (guards === undefined) {
      const roots = now.map(({ path }) => path);
      guards = createGuards(
        { projectSettings, consent, readOnly: [], startFiles: [], code: [] },
        { root: roots[0]!, home: roots[0]!, roots },
      );
      made.set(now, guards);
    }
    return guards;
  };
}

/** Only the host knows the approvals. */
export function guardedFiles(files: FileSystem, guards: () => Guards): FileSystem {
  const target = (path: string) =>
    files.realpath(path).catch((thrown: unknown) => {
      if (HaftError.is(thrown) && thrown.category !== "operational") return undefined;
      throw thrown;
    });
  const entry = async (path: string) => {
    const [, root = "", rest = ""] = /^([A-Za-z][A-Za-z0-9_-]+:(?!\/\/))?(.*)$/s.exec(path) ?? [];
    const clean = rest.replace(/\/+$/, "");
    const name = posix.basename(clean);
    if (name === "" || name === "." || name === "..") return target(path);
    const folder = await target(root + (clean.includes("/") ? posix.dirname(clean) : "."));
    return folder === undefined ? undefined : posix.join(folder, name);
  };
  const check = async (resolved: string | undefined, request: FileRequest, follow = true) => {
    if (resolved === undefined) return;
    try {
      guards().check(resolved, request);
    } catch (thrown) {
      // A read-only error takes precedence.
      await files.check?.(request.path, "write", { follow });
      throw thrown;
    }
  };
  return {
    ...files,
    async write(path, bytes, options) {
      await check(await target(path), { verb: "write", path });
      return files.write(path, bytes, options);
    },
    async append(path, bytes, options) {
      await check(await target(path), { verb: "append to", path });
      return files.append(path, bytes, options);
    },
    async mkdirp(path, options) {
      await check(await target(path), { verb: "create the folder", path });
      return files.mkdirp(path, options);
    },
    async remove(path, options) {
      await check(await entry(path), { verb: "remove", path }, false);
      return files.remove(path, options);
    },
    async rename(from, to, options) {
      const paths = await Promise.all([entry(from), entry(to)]);
      await check(paths[0], { verb: "move", path: from }, false);
      await check(paths[1], { verb: "move to", path: to }, false);
      const pinned = paths.findIndex((resolved) => resolved !== undefined && guards().pins(resolved));
      if (pinned !== -1 && (await files.stat(from, { follow: false }))?.type === "directory")
        throw failure("root-pinned", { verb: "move", path: [from, to][pinned]! });
      return files.rename(from, to, options);
    },
    async check(path, access, options) {
      await files.check?.(path, access, options);
      if (access === "read") return;
      const resolved = await (options?.follow === false ? entry(path) : target(path));
      if (resolved !== undefined) guards().check(resolved, { verb: "write", path });
    },
  };
}
