import type { ExecutionTarget, Workspace } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { createMemoryFileSystem } from "./memory-file-system.ts";
import { ROOT } from "./memory-paths.ts";
import { type FolderNode, newFile, newFolder, newLink, put } from "./memory-tree.ts";
import { makeMemoryFolders, walk } from "./memory-walk.ts";
import { createMemoryGuard } from "./protected-paths.ts";

/** What stands in the files of a workspace: paths to text or bytes. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** What a workspace in memory begins with. */
export interface MemoryWorkspaceOptions {
  /** Paths, relative to the workspace, to what stands there. */
  files?: Files;
  /** Symbolic links: paths to where they lead. */
  links?: Readonly<Record<string, string>>;
  /** Where tools are told that it is. Default `host`. */
  target?: ExecutionTarget;
}

/**
 * A workspace in memory, at `/workspace`: files with the contract of every workspace, and no processes. Nothing of it is on
 * a disk, so a tool that goes around it finds nothing.
 *
 * @throws HaftError `OUTSIDE_WORKSPACE`, `INVALID_PATH`, `NOT_A_DIRECTORY` for files that cannot be there
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
