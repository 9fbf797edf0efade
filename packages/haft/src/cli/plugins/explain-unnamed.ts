import type { PluginReport } from "@haft/plugin-loader";
import { listConfiguredPlugins } from "@haft/plugin-loader/internal/check";
import {
  MANIFEST_FILE,
  findManifestFile,
  readManifestFile,
  listAncestorFolders,
  parsePackageName,
  readDependency,
  isPath,
  getPackageFolder,
  getPluginPath,
} from "@haft/plugin-loader/internal/plugins";
import { escapeInvisible } from "@haft/utils";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { nextCommand } from "../location/next-command.ts";
import { readWorkspaceValue } from "../session-arguments.ts";
import type { PluginsValues } from "./open-survey.ts";
import { readPluginsTarget, formatHomePath } from "./plugins-target.ts";

export async function explainUnnamed(
  word: string,
  values: PluginsValues,
  reports: readonly PluginReport[],
): Promise<{ reason: string; fix: string }> {
  const shown = escapeInvisible(word);
  if (values["no-config"])
    return {
      reason: `No plugin here has a tool or the name "${shown}", and --no-config excludes all configurations.`,
      fix: "Omit --no-config, or name the plugin's module: --plugin ./index.ts.",
    };
  const waiting = await findUntrustedPlugins(values, reports);
  const [found] = waiting.filter(({ use }) => use === word || parsePackageName(use) === word);
  if (found !== undefined)
    return {
      reason: `${formatHomePath(found.file)} names "${shown}", and a workspace's file loads no plugin before you trust it.`,
      fix: `haft config trust ${formatHomePath(found.file)} shows the effects, and asks.`,
    };
  const declared = waiting.map((each) => ({ ...each, tools: declaredTools(each) }));
  const [brings] = declared.filter(({ tools }) => tools.includes(word));
  if (brings !== undefined)
    return {
      reason: `${formatHomePath(brings.file)} names ${escapeInvisible(brings.use)}, whose manifest has "${shown}", and a workspace's file loads no plugin before you trust it.`,
      fix: `haft config trust ${formatHomePath(brings.file)} shows the effects, and asks.`,
    };
  const target = await readPluginsTarget(values);
  const isInstalled = existsSync(join(target.folder, "node_modules", word, "package.json"));
  if (parsePackageName(word) === word && (isInstalled || readDependency(target.folder, word) !== undefined))
    return {
      reason: `The package "${shown}" is installed in ${formatHomePath(target.folder)}, and no configuration names it.`,
      fix: `${nextCommand(`haft plugins add ${shown}`)} tries it and names it.`,
    };
  const looked = [
    ...new Set([
      ...(existsSync(target.file) ? [target.file] : []),
      ...reports.map(({ source }) => source),
      ...waiting.map(({ file }) => file),
    ]),
  ];
  const where =
    looked.length === 0 ? "there is no configuration" : `checked ${looked.map(formatHomePath).join(", ")}`;
  const closed = reports.filter(({ problem, id }) => problem !== undefined && id === undefined);
  const dark = declared.filter(({ tools }) => tools.length === 0);
  const uses = (some: readonly { use: string }[]) => some.map(({ use }) => escapeInvisible(use)).join(", ");
  const may = [
    ...(closed.length === 0 ? [] : [` The tools of ${uses(closed)} are unknown: not loaded.`]),
    ...declared
      .filter(({ tools }) => tools.length > 0)
      .map(
        ({ use, tools }) =>
          ` ${escapeInvisible(use)} declares ${escapeInvisible(tools.join(", "))}, and is not trusted.`,
      ),
    ...(dark.length === 0 ? [] : [` The tools of ${uses(dark)} are unknown: not trusted.`]),
  ].join("");
  const files = [...new Set(waiting.map(({ file }) => formatHomePath(file)))].map(
    (file) => `haft config trust ${file}`,
  );
  const orTrust = files.length === 0 ? "" : ` Or trust the files of the workspace: ${files.join(", ")}.`;
  return {
    reason: `No configured plugin has a tool or the name "${shown}" (${where}).${may}`,
    fix: `Add the plugin that has it: ${nextCommand("haft plugins add NAME")}.${orTrust}`,
  };
}

/** Does not load the plugin. */
function declaredTools({ file, use }: { file: string; use: string }): string[] {
  const from = dirname(file);
  const manifest = isPath(use)
    ? findManifestFile(getPluginPath({ use, from }))
    : join(getPackageFolder({ use, from }), MANIFEST_FILE);
  const found = manifest === undefined ? undefined : readManifestFile(manifest);
  return found !== undefined && "manifest" in found ? found.manifest.tools.map(({ name }) => name) : [];
}

/** Bytes, the limit for untrusted files. */
const LARGEST = 64 * 1024;

function isSmallFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= LARGEST;
}

const TEXTS = ["haft.config.yaml", "haft.config.json"];

/** Loads nothing. */
export async function findUntrustedPlugins(
  { workspace }: PluginsValues,
  reports: readonly PluginReport[],
): Promise<{ file: string; use: string }[]> {
  const folders = listAncestorFolders(realpathSync(readWorkspaceValue(workspace)));
  const files = folders.flatMap((folder) => TEXTS.map((name) => join(folder, name))).filter(isSmallFile);
  const found: { file: string; use: string }[] = [];
  for (const file of files) {
    if (reports.some(({ source }) => source === file)) continue;
    // Hosts that ignore it report the error.
    const named = await listConfiguredPlugins({ file, kind: "text" }).catch(() => []);
    found.push(...named.map((use) => ({ file, use })));
  }
  return found;
}
