import { readUserFile, readConfig } from "@haft/config/internal/document";
import { checkConfig } from "@haft/core/internal";
import { readText } from "@haft/system";
import { existsSync, lstatSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { relative, sep } from "node:path";
import type { DescribedPlugin } from "../describe/describe-plugin.ts";
import { pluginLoaderError } from "../errors.ts";
import { resolvePluginConfig } from "../load/plugin-config.ts";
import { readStoredContent, writePackageFile } from "../packages/install-snapshot.ts";
import { deletePlugin, insertPlugin } from "./edit-plugins.ts";
import type { InstallTarget } from "./install-target.ts";

/** States the result. `by hand`: the configuration is code, so a person must change it. */
export type EditOutcome = "changed" | "unchanged" | "by hand";

/**
 * Returns the name of a file in a configuration: relative to its folder, from the home folder, or absolute.
 *
 * @example
 * ```ts run
 * import { formatPluginPath } from "@haft/plugin-loader/internal/check";
 * formatPluginPath("/etc/agent/plugins/weather.ts", { folder: "/etc/agent", as: "user" }); // => "./plugins/weather.ts"
 * ```
 */
export function formatPluginPath(path: string, { folder, as }: Pick<InstallTarget, "folder" | "as">): string {
  const below = relative(folder, path);
  if (as === "project" || !below.startsWith("..")) return below.startsWith(".") ? below : `./${below}`;
  const ofHome = relative(homedir(), path);
  return ofHome.startsWith("..") || ofHome.startsWith(sep) ? path : `~/${ofHome}`;
}

/**
 * Returns the names of the plugins in a configuration. The result is empty for code and for a missing file.
 *
 * @example
 * ```ts run
 * import { writeFileSync } from "node:fs";
 * import { listConfiguredPlugins } from "@haft/plugin-loader/internal/check";
 * writeFileSync("haft.config.yaml", "plugins: [haft-plugin-weather]\n");
 * await listConfiguredPlugins({ file: "haft.config.yaml", kind: "text" }); // => ["haft-plugin-weather"]
 * ```
 */
export async function listConfiguredPlugins({
  file,
  kind,
}: Pick<InstallTarget, "file" | "kind">): Promise<readonly string[]> {
  const entries = await readEntries({ file, kind });
  return entries.map(({ use }) => use).filter((use) => typeof use === "string");
}

async function readEntries({
  file,
  kind,
}: Pick<InstallTarget, "file" | "kind">): Promise<{ use?: unknown; config?: unknown }[]> {
  if (kind === "code" || !existsSync(file)) return [];
  const { parse } = await import("yaml");
  const { plugins } = (parse(readText(file)) ?? {}) as { plugins?: unknown };
  return (Array.isArray(plugins) ? plugins : []).map((entry: string | { use?: unknown } | null) =>
    typeof entry === "string" ? { use: entry } : (entry ?? {}),
  );
}

/**
 * Checks that a configuration that fits the installed version of a plugin also fits the new one.
 *
 * @throws HaftError `PLUGIN_CONFIG_INVALID`
 */
export async function requireFittingConfig(
  use: string,
  { before, plugin, target }: { before: DescribedPlugin; plugin: DescribedPlugin; target: InstallTarget },
): Promise<void> {
  const entry = (await readEntries(target)).find((one) => one.use === use);
  if (entry === undefined) return;
  const find = (described: DescribedPlugin): ConfigProblems =>
    findConfigProblems(described, { use, entry, target });
  const [first] = find(plugin);
  if (first === undefined || find(before).length > 0) return;
  const key = ["config", ...first.path].join(".");
  throw pluginLoaderError(
    "PLUGIN_CONFIG_INVALID",
    `The configuration of ${use} does not fit the new version: ${key}: ${first.message} Nothing was changed.`,
    { fix: `Change config of ${use} in ${target.file} for the new version, then start this again.` },
  );
}

type ConfigProblems = ReturnType<typeof checkConfig>["problems"];

function findConfigProblems(
  { config: own, configSchema, configLibrary }: DescribedPlugin,
  { use, entry, target }: { use: string; entry: { config?: unknown }; target: InstallTarget },
): ConfigProblems {
  if (configSchema === undefined) return [];
  const placed = { use, from: target.folder, source: target.file, config: entry.config };
  const resolved = resolvePluginConfig(placed, configSchema);
  // A missing secret is a problem of both versions.
  if ("problem" in resolved) return [];
  const { problems } = checkConfig({ id: use, tools: [], config: resolved.config ?? own, configSchema });
  // A library may accept more than its JSON Schema.
  return configLibrary === undefined
    ? problems
    : problems.filter(({ message }) => !message.startsWith("Expected "));
}

/**
 * Adds a plugin to a configuration, and creates a missing file. A failure changes nothing.
 *
 * @throws HaftError `CONFIG_INVALID`; `CONFIG_UNSAFE` when the result cannot be used; `FILE_UNWRITABLE`
 * @example
 * ```ts
 * import { addConfiguredPlugin, findInstallTarget } from "@haft/plugin-loader/internal/check";
 * const target = findInstallTarget({ project: false, named: "/etc/agent/haft.config.yaml", workspaceDir: "." });
 * const outcome = await addConfiguredPlugin(target, "haft-plugin-weather");
 * ```
 */
export async function addConfiguredPlugin(target: InstallTarget, use: string): Promise<EditOutcome> {
  if (target.kind === "code") return "by hand";
  if ((await listConfiguredPlugins(target)).includes(use)) return "unchanged";
  return change(target, await insertPlugin(existsSync(target.file) ? readText(target.file) : "", use));
}

/** Removes a plugin from a configuration, and the file if it contains nothing else. @throws as {@link addConfiguredPlugin} */
export async function removeConfiguredPlugin(target: InstallTarget, use: string): Promise<EditOutcome> {
  if (target.kind === "code") return "by hand";
  const index = (await listConfiguredPlugins(target)).indexOf(use);
  if (index < 0) return "unchanged";
  const text = await deletePlugin(readText(target.file), index);
  if (text?.trim() !== "plugins: []" || lstatSync(target.file).isSymbolicLink()) return change(target, text);
  rmSync(target.file);
  return "changed";
}

async function change({ file, as }: InstallTarget, text: string | undefined): Promise<EditOutcome> {
  if (text === undefined) return "by hand";
  const before = existsSync(file) ? readStoredContent(file) : undefined;
  // Project files are shared, and only read if other users cannot write them.
  writePackageFile(file, text, before === undefined && as === "project" ? 0o644 : 0o600);
  try {
    await readConfig(file);
    const userFile = as === "user" ? readUserFile(realpathSync(file)) : undefined;
    if (userFile !== undefined && "why" in userFile)
      throw pluginLoaderError("CONFIG_UNSAFE", `${file} ${userFile.why}.`);
    return "changed";
  } catch (thrown) {
    if (before === undefined) rmSync(file, { force: true });
    else writePackageFile(file, before);
    throw thrown;
  }
}
