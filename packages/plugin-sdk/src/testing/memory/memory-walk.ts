import { type FileOperation, memoryFailure } from "./failures.ts";
import { ROOT, parsePath } from "./memory-paths.ts";
import { type FolderNode, newFolder, type Node, put } from "./memory-tree.ts";

/** A name in a folder, which may be missing. */
export interface PathInfo {
  /** Absolute, with links resolved; the last names may be missing. */
  path: string;
  /** Contains the last name; `undefined` if the folder is missing, and at the root. */
  folder: FolderNode | undefined;
  name: string;
  node: Node | undefined;
  mustBeFolder: boolean;
}

const MAX_LINKS = 40;

interface Step {
  name: string;
  node: Node;
}

/**
 * Follows a path and its links within the root.
 *
 * @param follow also a link at its end
 * @throws HaftError `INVALID_PATH`, `OUTSIDE_WORKSPACE`, `NOT_A_DIRECTORY`, and `FILE_NOT_FOUND` for a `..` after a missing name
 */
export function walk(root: FolderNode, asked: FileOperation, follow = true): PathInfo {
  const { components, mustBeFolder } = parsePath(asked);
  const todo = [...components];
  // Names outside of the root lead to no node. The root has the depth of its own path.
  let above: string[] = [];
  let steps: Step[] = [];
  const missing: string[] = [];
  let links = 0;
  const rootNames = ROOT.slice(1).split("/");
  const isInside = () =>
    above.length === rootNames.length && above.every((name, at) => name === rootNames[at]);
  const top = (): Node => steps.at(-1)?.node ?? root;
  while (todo.length > 0) {
    const name = todo.shift()!;
    if (!isInside()) {
      if (name === "..") above.pop();
      else above.push(name);
      continue;
    }
    if (name === "..") {
      if (missing.length > 0) throw memoryFailure("FILE_NOT_FOUND", asked);
      if (steps.length > 0) steps.pop();
      else above.pop();
      continue;
    }
    const folder = top();
    if (folder.type !== "directory") throw memoryFailure("NOT_A_DIRECTORY", asked);
    const node = missing.length > 0 ? undefined : folder.entries.get(name);
    if (node === undefined) {
      missing.push(name);
      continue;
    }
    const isLast = todo.length === 0;
    if (node.type === "symlink" && (!isLast || follow)) {
      if (++links > MAX_LINKS) throw memoryFailure("INVALID_PATH", asked);
      const target = node.target.split("/").filter((part) => part !== "" && part !== ".");
      todo.unshift(...target);
      if (node.target.startsWith("/")) {
        above = [];
        steps = [];
      }
      continue;
    }
    steps.push({ name, node });
  }
  if (!isInside()) throw memoryFailure("OUTSIDE_WORKSPACE", asked);
  const names = [...steps.map((step) => step.name), ...missing];
  const isFolderThere = names.length > 0 && missing.length <= 1;
  return {
    path: [ROOT, ...names].join("/"),
    folder: isFolderThere ? ((steps[names.length - 2]?.node ?? root) as FolderNode) : undefined,
    name: names.at(-1) ?? "",
    node: missing.length > 0 ? undefined : top(),
    mustBeFolder,
  };
}

/** Throws if the path does not exist. */
export function requireExisting(root: FolderNode, asked: FileOperation): PathInfo & { node: Node } {
  const place = walk(root, asked);
  const { node } = place;
  if (node === undefined) throw memoryFailure("FILE_NOT_FOUND", asked);
  if (place.mustBeFolder && node.type !== "directory") throw memoryFailure("NOT_A_DIRECTORY", asked);
  return { ...place, node };
}

/** Returns the created folders, the outermost first. */
export function makeMemoryFolders(root: FolderNode, path: string): { folder: FolderNode; made: string[] } {
  const names = path
    .slice(ROOT.length + 1)
    .split("/")
    .filter(Boolean);
  const made: string[] = [];
  let folder = root;
  let at = ROOT;
  for (const name of names) {
    at += `/${name}`;
    let next = folder.entries.get(name);
    if (next === undefined) {
      put(folder, name, (next = newFolder()));
      made.push(at);
    }
    folder = next as FolderNode;
  }
  return { folder, made };
}
