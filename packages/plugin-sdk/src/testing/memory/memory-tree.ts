import type { FileStat } from "@haft/core";

export interface FileNode {
  type: "file";
  bytes: Uint8Array;
  mode: number;
  mtimeMs: number;
  version: string;
  links: number;
}

export interface FolderNode {
  type: "directory";
  entries: Map<string, Node>;
  mode: number;
  mtimeMs: number;
  version: string;
}

/** A symbolic link, or another node (a pipe, a device). */
export interface OtherNode {
  type: "symlink" | "other";
  /** The target of a link, as written. */
  target: string;
  mtimeMs: number;
  version: string;
}

export type Node = FileNode | FolderNode | OtherNode;

let versions = 0;

/** Each change has a unique version. */
export function stamp(): { mtimeMs: number; version: string } {
  return { mtimeMs: Date.now(), version: `memory-${++versions}` };
}

export function newFile(bytes: Uint8Array, mode = 0o644): FileNode {
  return { type: "file", bytes, mode, links: 1, ...stamp() };
}

export function newFolder(): FolderNode {
  return { type: "directory", entries: new Map(), mode: 0o755, ...stamp() };
}

export function newLink(target: string): OtherNode {
  return { type: "symlink", target, ...stamp() };
}

export function newPipe(): OtherNode {
  return { type: "other", target: "", ...stamp() };
}

export function put(folder: FolderNode, name: string, node: Node): void {
  const before = folder.entries.get(name);
  if (before?.type === "file" && before !== node) before.links--;
  folder.entries.set(name, node);
  Object.assign(folder, stamp());
}

export function take(folder: FolderNode, name: string): void {
  const node = folder.entries.get(name);
  if (node?.type === "file") node.links--;
  folder.entries.delete(name);
  Object.assign(folder, stamp());
}

export function memoryStat(node: Node): FileStat {
  const { type, mtimeMs, version } = node;
  if (node.type === "file")
    return { type, size: node.bytes.length, mode: node.mode, mtimeMs, version, links: node.links };
  if (node.type === "directory") return { type, size: 0, mode: node.mode, mtimeMs, version, links: 1 };
  return { type, size: node.target.length, mode: 0o777, mtimeMs, version, links: 1 };
}
