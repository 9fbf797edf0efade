import type { FileSystem } from "@haft/plugin-sdk";
import { fileToolError } from "../errors.ts";
import { visible } from "./path-text.ts";

/**
 * The path of what is there under a name that differs in its Unicode form alone (`é` as one character or as two); the
 * path as it is when nothing is, or it is there itself.
 *
 * @throws `AMBIGUOUS_PATH` when there are several
 */
export async function existingForm(fs: FileSystem, path: string): Promise<string> {
  if (isAscii(path) || (await isThere(fs, path))) return path;
  const names = path.split("/");
  for (const [index, name] of names.entries()) {
    if (isAscii(name)) continue;
    if (await isThere(fs, names.slice(0, index + 1).join("/"))) continue;
    const folder = names.slice(0, index).join("/") || (index === 0 ? "." : "/");
    const same = (await namesIn(fs, folder)).filter((other) => other.normalize() === name.normalize());
    if (same.length === 0) return names.join("/");
    if (same.length > 1) throw ambiguous(path, same);
    names[index] = same[0] as string;
  }
  return names.join("/");
}

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

async function isThere(fs: FileSystem, path: string): Promise<boolean> {
  // Of a path that cannot be looked at, whoever opens it says why.
  return (await fs.stat(path, { follow: false }).catch(() => undefined)) !== undefined;
}

async function namesIn(fs: FileSystem, folder: string): Promise<string[]> {
  const listed = await fs.list(folder).catch(() => undefined);
  return listed?.entries.map((entry) => entry.name) ?? [];
}

function ambiguous(path: string, names: readonly string[]) {
  const message = `There are ${names.length} files of the name in ${visible(path)}, in different Unicode forms. Nothing was changed.`;
  const fix = `Use one of these exactly: ${names.map(visible).join(", ")}.`;
  return fileToolError("AMBIGUOUS_PATH", message, { fix, details: { path, candidates: names } });
}
