import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Every file of a folder with its text, links as `-> target`, empty folders as `name/`. */
export async function readTree(root: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path).replaceAll("\\", "/");
    if (entry.isFile()) tree[name] = await readFile(path, "utf8");
    else if (entry.isSymbolicLink()) tree[name] = "->";
    else if ((await readdir(path)).length === 0) tree[`${name}/`] = "";
  }
  return tree;
}
