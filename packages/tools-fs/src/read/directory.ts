import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { printable } from "../paths/path-text.ts";

const MOST_NAMES = 20;

/** The answer to reading a folder: what is in it, and what to do instead. */
export async function directoryError(fs: FileSystem, path: string): Promise<HaftError> {
  const { entries, truncated } = await fs.list(path);
  const names = entries
    .map((entry) => (entry.type === "directory" ? `${entry.name}/` : entry.name))
    .toSorted()
    .slice(0, MOST_NAMES);
  const more = entries.length > names.length ? `, … (${entries.length}${truncated ? "+" : ""} entries)` : "";
  const inside = names.length === 0 ? "it is empty" : `it holds ${names.map(printable).join(", ")}${more}`;
  return fileToolError("IS_DIRECTORY", `${printable(path)} is a directory; ${inside}.`, {
    fix: "Read one of its files, or list it with ls.",
    details: { path, entries: names, total: entries.length },
  });
}
