import { attempt } from "@haft/workspace/internal/system";
import { type Dirent, readdirSync } from "node:fs";
import { mayHaveLostBytes, nativePath, textOfPath } from "./raw-path.ts";

export type EntryKind = "file" | "folder" | "other";

export type FolderEntry = Pick<Dirent, "name" | "isDirectory" | "isFile">;

export function entriesOf(folder: string): FolderEntry[] {
  const path = nativePath(folder);
  const found = typeof path === "string" ? readdirSync(path, { withFileTypes: true }) : undefined;
  if (found !== undefined && !found.some(({ name }) => mayHaveLostBytes(name))) return found;
  return readdirSync(path, { withFileTypes: true, encoding: "buffer" }).map(withText);
}

/** The same; nothing where it cannot be read. */
export function entriesIn(folder: string): FolderEntry[] {
  return attempt(() => entriesOf(folder)) ?? [];
}

export function withText(one: Pick<Dirent<Buffer>, "name" | "isDirectory" | "isFile">): FolderEntry {
  return {
    name: textOfPath(one.name),
    isDirectory: () => one.isDirectory(),
    isFile: () => one.isFile(),
  };
}

export function entryKindOf(one: Pick<FolderEntry, "isDirectory" | "isFile">): EntryKind {
  return one.isDirectory() ? "folder" : one.isFile() ? "file" : "other";
}
