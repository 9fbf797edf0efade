import { HaftError } from "@haft/core";
import type { Manifest } from "@haft/plugin-loader";
import { toFolderEntry, tryPlugin } from "@haft/plugin-loader/internal/check";
import {
  compareManifest,
  MANIFEST_FILE,
  type PluginRecord,
  toManifest,
  findManifestFile,
  readManifestFile,
  readPackageJson,
} from "@haft/plugin-loader/internal/plugins";
import { replaceFile, systemReason } from "@haft/system";
import { escapeInvisible } from "@haft/utils";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { commandError } from "../../errors.ts";
import { UsageError } from "../usage.ts";
import { formatHomePath } from "./plugins-target.ts";

export async function makeManifest(
  { json, "dry-run": isDry }: { json?: boolean; "dry-run"?: boolean },
  [word = "."]: readonly string[],
): Promise<number> {
  const path = resolve(word);
  if (!existsSync(path)) throw new UsageError(`There is no file or folder ${path}.`);
  const module = realpathSync(statSync(path).isDirectory() ? toFolderEntry(path) : path);
  const file = findManifestFile(module) ?? join(dirname(module), MANIFEST_FILE);
  const manifest = await madeOf(module, file);
  const differences = differencesOf(file, manifest);
  const unknown = manifest.tools.filter(({ effects }) => effects === undefined).map(({ name }) => name);
  if (unknown.length > 0)
    console.error(
      escapeInvisible(
        `haft: The effects of ${unknown.join(", ")} are unknown before a session opens; declare effects next to the names of the factory.`,
      ),
    );
  const shown = formatHomePath(file);
  if (!isDry) writeManifest(file, manifest);
  if (json) console.log(JSON.stringify({ file, manifest, differences }));
  else if (!isDry) console.log(`Wrote ${shown}.`);
  else if (differences.length === 0) console.log(`${shown} matches the code.`);
  else {
    console.log(JSON.stringify(manifest, null, 2));
    for (const each of differences) console.error(escapeInvisible(`${shown}: ${each}`));
    console.error("haft plugins manifest writes it again.");
  }
  if (!isDry) warnUnpublished(file);
  return isDry && differences.length > 0 ? 1 : 0;
}

/** Writes the manifest of a plugin that was tried, if it differs from the code. Returns its path if it was written. */
export function updateManifest({ file, plugin }: Pick<PluginRecord, "file" | "plugin">): string | undefined {
  const manifestFile = file && plugin && findManifestFile(file);
  if (!manifestFile || !plugin) return undefined;
  const manifest = toManifest(plugin, readPackageJson(dirname(manifestFile)));
  if (differencesOf(manifestFile, manifest).length === 0) return undefined;
  writeManifest(manifestFile, manifest);
  warnUnpublished(manifestFile);
  return manifestFile;
}

async function madeOf(module: string, file: string): Promise<Manifest> {
  const placed = { use: module, from: dirname(module), source: "haft plugins manifest" };
  const { plugin, problem } = await tryPlugin(placed, { ignoreManifest: true });
  if (plugin !== undefined) return toManifest(plugin, readPackageJson(dirname(file)));
  const { code, message, fix } = problem!;
  throw new HaftError(code, message, { fix });
}

function differencesOf(file: string, is: Manifest): string[] {
  const found = readManifestFile(file);
  if (found === undefined) return ["it is not there"];
  if ("problem" in found) return [`it ${found.problem}`];
  const { untrue, outdated } = compareManifest(found.manifest, is);
  return [...untrue, ...outdated];
}

function writeManifest(file: string, manifest: Manifest): void {
  try {
    replaceFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  } catch (thrown) {
    throw commandError("FILE_UNWRITABLE", `${file} cannot be written: ${systemReason(thrown)}.`);
  }
}

function warnUnpublished(file: string): void {
  const files = readPackageJson(dirname(file))?.["files"];
  if (Array.isArray(files) && !files.includes(MANIFEST_FILE))
    console.error(`haft: Add "${MANIFEST_FILE}" to files in package.json, or it is not published.`);
}
