import type { FileSystem } from "@haft/core";
import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";

/** Files in memory, for tests that need very many trees. */
export function createMemoryFileSystem(files: Record<string, Uint8Array>): FileSystem {
  return createMemoryWorkspace({ files }).fs;
}

/** Every file, by its path. */
export async function readContents(fs: FileSystem, folder = "."): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const { name, type } of (await fs.list(folder)).entries) {
    const path = folder === "." ? name : `${folder}/${name}`;
    if (type === "file") found.set(path, Buffer.from((await fs.read(path)).bytes));
    else for (const [below, bytes] of await readContents(fs, path)) found.set(below, bytes);
  }
  return found;
}
