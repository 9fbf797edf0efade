import { HaftError } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import { replaceFile, systemReason } from "@haft/workspace/internal/system";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { hostError } from "../../errors.ts";
import { entryOf } from "../../plugins/install/folder-entry.ts";
import { compareManifest } from "../../plugins/manifest/compare-manifest.ts";
import { MANIFEST_FILE, type Manifest, manifestOf } from "../../plugins/manifest/manifest.ts";
import { manifestFileOf, readManifestFile } from "../../plugins/manifest/read-manifest.ts";
import { readManifest } from "../../plugins/packages/pinned.ts";
import { tryPlugin } from "../../plugins/trial/try-plugin.ts";
import { UsageError } from "../usage.ts";
import type { PluginsAction, PluginsValues } from "./plugins-action.ts";
import { shownPath } from "./plugins-place.ts";

export const makeManifest: PluginsAction = async ([word = ".", ...more], values) => {
  if (more.length > 0) throw new UsageError("One plugin at a time: haft plugins manifest PATH.");
  if (values.write && values.check)
    throw new UsageError("--write makes the file what --check would ask for; leave one out.");
  const path = resolve(word);
  if (!existsSync(path)) throw new UsageError(`There is no ${path}.`);
  const isFolder = statSync(path).isDirectory();
  const module = realpathSync(isFolder ? entryOf(path) : path);
  const file = manifestFileOf(module) ?? join(dirname(module), MANIFEST_FILE);
  const manifest = await madeOf(module, file);
  if (values.check) return check(file, manifest, values);
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const unknown = manifest.tools.filter(({ effects }) => effects === undefined).map(({ name }) => name);
  if (unknown.length > 0)
    console.error(
      escapeInvisible(
        `haft: Nobody knows what ${unknown.join(", ")} may do before a session opens; write effects beside the names of the factory.`,
      ),
    );
  if (values.write) write(file, text);
  if (values.json) console.log(JSON.stringify({ file, manifest }));
  else if (values.write) console.log(`Wrote ${shownPath(file)}.`);
  else process.stdout.write(text);
  if (values.write) tellUnpublished(file);
  return 0;
};

/** @throws HaftError why it cannot be loaded */
async function madeOf(module: string, file: string): Promise<Manifest> {
  const placed = { use: module, from: dirname(module), source: "haft plugins manifest" };
  const { plugin, problem } = await tryPlugin(placed, { ignoreManifest: true });
  if (plugin !== undefined) return manifestOf(plugin, readManifest(dirname(file)));
  const { code, message, fix } = problem!;
  throw new HaftError(code, message, { fix });
}

function check(file: string, manifest: Manifest, { json }: PluginsValues): number {
  const found = readManifestFile(file);
  const differences =
    found === undefined
      ? ["it is not there"]
      : "problem" in found
        ? [`it ${found.problem}`]
        : differencesOf(found.manifest, manifest);
  const ok = differences.length === 0;
  if (json) console.log(JSON.stringify({ ok, file, differences }));
  else if (ok) console.log(`${shownPath(file)} is what the code is.`);
  else {
    for (const each of differences) console.error(escapeInvisible(`${shownPath(file)}: ${each}`));
    console.error("haft plugins manifest --write makes it anew.");
  }
  return ok ? 0 : 1;
}

function differencesOf(said: Manifest, is: Manifest): string[] {
  const { untrue, outdated } = compareManifest(said, is);
  return [...untrue, ...outdated.map((what) => `another ${what}`)];
}

/** @throws HaftError `FILE_UNWRITABLE` */
function write(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch (thrown) {
    throw hostError("FILE_UNWRITABLE", `${file} cannot be written: ${systemReason(thrown)}.`);
  }
}

/** A package publishes what its `files` name, and those who install it would find none. */
function tellUnpublished(file: string): void {
  const files = readManifest(dirname(file))?.["files"];
  if (Array.isArray(files) && !files.includes(MANIFEST_FILE))
    console.error(`haft: Add "${MANIFEST_FILE}" to files in package.json, or it is not published.`);
}
