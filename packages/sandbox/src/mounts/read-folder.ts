import { attempt } from "@haft/system";
import { type Dirent, readdirSync } from "node:fs";
import { mayHaveLostBytes, nativePath, pathFromBytes } from "./raw-path.ts";

export type EntryKind = "file" | "folder" | "other";

export type FolderEntry = Pick<Dirent, "name" | "isDirectory" | "isFile">;

export function readFolder(folder: string): FolderEntry[] {
  const path = nativePath(folder);
  const found = typeof path === "string" ? readdirSync(path, { withFileTypes: true }) : undefined;
  if (found !== undefined && !found.some(({ name }) => mayHaveLostBytes(name))) return found;
  return readdirSync(path, { withFileTypes: true, encoding: "buffer" }).map(decodeEntry);
}

export function tryReadFolder(folder: string): FolderEntry[] {
  return attempt(() => readFolder(folder)) ?? [];
}

export function decodeEntry(one: Pick<Dirent<Buffer>, "name" | "isDirectory" | "isFile">): FolderEntry {
  return {
    name: pathFromBytes(one.name),
    isDirectory: () => one.isDirectory(),
    isFile: () => one.isFile(),
  };
}

export function getEntryKind(one: Pick<FolderEntry, "isDirectory" | "isFile">): EntryKind {
  return one.isDirectory() ? "folder" : one.isFile() ? "file" : "other";
}
