import type { ExecutionTarget, Workspace } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { createMemoryFileSystem } from "./memory-file-system.ts";
import { ROOT } from "./memory-paths.ts";
import { type FolderNode, newFile, newFolder, newLink, put } from "./memory-tree.ts";
import { makeMemoryFolders, walk } from "./memory-walk.ts";
import { createMemoryGuard } from "./protected-paths.ts";

/** Maps paths to text or bytes. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Configures a workspace in memory. */
export interface MemoryWorkspaceOptions {
  /** Contains text or bytes, by path relative to the workspace. */
  files?: Files;
  /** Maps paths of symbolic links to targets. */
  links?: Readonly<Record<string, string>>;
  /** Sets the execution target of tools. Default `host`. */
  target?: ExecutionTarget;
}

/**
 * Creates a workspace in memory, at `/workspace`, without processes. Its files meet the contract of every workspace. A tool that bypasses
 * the workspace finds no files on disk.
 *
 * @throws HaftError `OUTSIDE_WORKSPACE`, `INVALID_PATH`, `NOT_A_DIRECTORY` for paths of `files` and `links` that cannot exist
 * @example
 * ```ts run
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 *
 * const { fs } = createMemoryWorkspace({ files: { "notes.txt": "one\n" }, links: { "latest.txt": "notes.txt" } });
 * await fs.append("latest.txt", new TextEncoder().encode("two\n"));
 * const { bytes } = await fs.read("notes.txt");
 * new TextDecoder().decode(bytes); // => "one\ntwo\n"
 * ```
 */
export function createMemoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  requireKnownOptions<MemoryWorkspaceOptions>("createMemoryWorkspace", options, {
    files: true,
    links: true,
    target: true,
  });
  return createTreeWorkspace(newTree(options), options.target ?? "host", []);
}

export function newTree({ files = {}, links = {} }: MemoryWorkspaceOptions = {}): FolderNode {
  const root = newFolder();
  const add = (path: string, node: Parameters<typeof put>[2]) => {
    const place = walk(root, { verb: "write", path }, false);
    const parent = place.path.slice(0, Math.max(place.path.lastIndexOf("/"), ROOT.length));
    put(makeMemoryFolders(root, parent).folder, place.name, node);
  };
  for (const [path, content] of Object.entries(files))
    if (path.endsWith("/")) makeMemoryFolders(root, walk(root, { verb: "write", path }).path);
    else
      add(path, newFile(typeof content === "string" ? new TextEncoder().encode(content) : content.slice()));
  for (const [path, to] of Object.entries(links)) add(path, newLink(to));
  return root;
}

export function createTreeWorkspace(
  root: FolderNode,
  place: ExecutionTarget,
  consent: readonly string[],
): Workspace {
  return {
    fs: createMemoryFileSystem(root, createMemoryGuard(consent)),
    describe: () => ({
      target: place,
      cwd: ROOT,
      mounts: [{ name: "", path: ROOT, access: "rw" }],
      boundary: "kernel",
    }),
    withConsent: (places) => createTreeWorkspace(root, place, [...consent, ...places]),
  };
}
