import { readUserFile, readConfig } from "@haft/config/internal/document";
import { readText } from "@haft/config/internal/files";
import { existsSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { relative, sep } from "node:path";
import { pluginLoaderError } from "../errors.ts";
import { readStoredContent, writePackageFile } from "../packages/install-snapshot.ts";
import { deletePlugin, insertPlugin } from "./edit-plugins.ts";
import type { InstallTarget } from "./install-target.ts";

export type EditOutcome = "changed" | "unchanged" | "by hand";

/** How a configuration names a file: from its folder on, from the user's home, or in full. */
export function formatPluginPath(path: string, { folder, as }: Pick<InstallTarget, "folder" | "as">): string {
  const below = relative(folder, path);
  if (as === "project" || !below.startsWith("..")) return below.startsWith(".") ? below : `./${below}`;
  const ofHome = relative(homedir(), path);
  return ofHome.startsWith("..") || ofHome.startsWith(sep) ? path : `~/${ofHome}`;
}

/** The plugins that a configuration which is no code names, as they are written. Of one that is not there, none. */
export async function listConfiguredPlugins({
  file,
  kind,
}: Pick<InstallTarget, "file" | "kind">): Promise<readonly string[]> {
  if (kind === "code" || !existsSync(file)) return [];
  const { parse } = await import("yaml");
  const { plugins } = (parse(readText(file)) ?? {}) as { plugins?: unknown };
  const uses = (Array.isArray(plugins) ? plugins : []).map((entry: string | { use?: unknown } | null) =>
    typeof entry === "string" ? entry : entry?.use,
  );
  return uses.filter((use) => typeof use === "string");
}

/**
 * Adds a plugin to a configuration, which is made where there is none.
 *
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE` when what came out cannot be used, `FILE_UNWRITABLE`; the file is what it was
 */
export async function addConfiguredPlugin(place: InstallTarget, use: string): Promise<EditOutcome> {
  if (place.kind === "code") return "by hand";
  if ((await listConfiguredPlugins(place)).includes(use)) return "unchanged";
  return change(place, await insertPlugin(existsSync(place.file) ? readText(place.file) : "", use));
}

/** Takes a plugin out of a configuration. @throws as {@link addConfiguredPlugin} */
export async function removeConfiguredPlugin(place: InstallTarget, use: string): Promise<EditOutcome> {
  if (place.kind === "code") return "by hand";
  const index = (await listConfiguredPlugins(place)).indexOf(use);
  if (index < 0) return "unchanged";
  return change(place, await deletePlugin(readText(place.file), index));
}

async function change({ file, as }: InstallTarget, text: string | undefined): Promise<EditOutcome> {
  if (text === undefined) return "by hand";
  const before = existsSync(file) ? readStoredContent(file) : undefined;
  // Files of a project are for everybody who has it, and read only where nobody else may write.
  writePackageFile(file, text, before === undefined && as === "project" ? 0o644 : 0o600);
  try {
    await readConfig(file);
    const own = as === "user" ? readUserFile(realpathSync(file)) : undefined;
    // No host would start with it.
    if (own !== undefined && "why" in own) throw pluginLoaderError("CONFIG_UNSAFE", `${file} ${own.why}.`);
    return "changed";
  } catch (thrown) {
    if (before === undefined) rmSync(file, { force: true });
    else writePackageFile(file, before);
    throw thrown;
  }
}
