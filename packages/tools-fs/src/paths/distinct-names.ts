import type { FileSystem, HaftError } from "@haft/plugin-sdk";
import { foldConfusables } from "../content/confusables.ts";
import { fileToolError } from "../errors.ts";
import { type ChangeTarget, childPath, getBaseName, getParentPath } from "./locate.ts";
import { requireNotation } from "./other-notations.ts";
import { visiblePath } from "./path-text.ts";

/**
 * Rejects new names that a person cannot distinguish from existing names, and paths in the notation of another system.
 *
 * @param removed Real paths that the same change removes.
 * @throws `AMBIGUOUS_PATH`
 */
export async function requireDistinctNames(
  fs: FileSystem,
  created: readonly ChangeTarget[],
  removed: ReadonlySet<string>,
): Promise<void> {
  const folders = new Map<string, ReadonlyMap<string, string>>();
  for (const { path, real } of created) {
    await requireNotation(fs, path);
    const [folder, name] = await findMissingName(fs, real);
    let names = folders.get(folder);
    if (names === undefined) folders.set(folder, (names = await listFoldedNames(fs, folder)));
    const other = names.get(foldConfusables(name));
    if (other !== undefined && other !== name && !removed.has(childPath(folder, other)))
      throw sameLookError(path, name, other);
  }
}

/** Returns the deepest existing folder, and the first missing name in it. */
async function findMissingName(fs: FileSystem, path: string): Promise<[folder: string, name: string]> {
  let name = getBaseName(path);
  let folder = getParentPath(path) ?? ".";
  while ((await fs.stat(folder)) === undefined) {
    name = getBaseName(folder);
    folder = getParentPath(folder) ?? ".";
  }
  return [folder, name];
}

async function listFoldedNames(fs: FileSystem, folder: string): Promise<ReadonlyMap<string, string>> {
  const listed = await fs.list(folder).catch(() => undefined);
  return new Map(listed?.entries.map(({ name }) => [foldConfusables(name), name]));
}

function sameLookError(path: string, name: string, other: string): HaftError {
  const message = `${visiblePath(name)} looks the same as ${visiblePath(other)}, which exists. Nothing was changed.`;
  return fileToolError("AMBIGUOUS_PATH", message, {
    fix: `Use ${visiblePath(other)}, or a name that differs visibly.`,
    receipt: "none",
    details: { path, candidates: [other] },
  });
}
