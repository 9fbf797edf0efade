import type { PluginReference } from "@haft/config/internal/document";
import { HaftError } from "@haft/core";
import { escapeInvisible } from "@haft/utils";
import { pluginLoaderError } from "../errors.ts";
import { findChangedPackages, pinPlugin } from "../load/pinned-plugin.ts";
import type { PinnedPackage, PluginRecord, PluginRecords } from "../load/plugin-record.ts";
import { type InstallOptions, installPackage } from "../packages/install-package.ts";
import type { PackageSpec } from "../packages/package-spec.ts";
import { readDependency, readPackageJson } from "../packages/read-dependency.ts";
import { tryPlugin } from "../trial/try-plugin.ts";
import {
  addConfiguredPlugin,
  type EditOutcome,
  formatPluginPath,
  requireFittingConfig,
} from "./configured-plugins.ts";
import { withEditLock } from "./edit-lock.ts";
import { toFolderEntry } from "./folder-entry.ts";
import type { InstallTarget } from "./install-target.ts";
import { listPinnedSiblings, requireWorkingSiblings, retryChangedSiblings } from "./sibling-plugins.ts";

/**
 * Configures {@link addPlugin} and `removePlugin`.
 *
 * @example
 * ```ts
 * import { PluginRecords } from "@haft/plugin-loader/internal/plugins";
 * import { type AddOptions, findInstallTarget } from "@haft/plugin-loader/internal/check";
 * const options: AddOptions = {
 *   target: findInstallTarget({ project: false, named: undefined, workspaceDir: process.cwd() }),
 *   records: new PluginRecords("/var/lib/agent", console.warn),
 *   allowScripts: false,
 *   withProgress: (_what, work) => work(),
 * };
 * ```
 */
export interface AddOptions extends InstallOptions {
  /** Describes the configuration and its packages. */
  target: InstallTarget;
  /** Stores the records of plugins. */
  records: PluginRecords;
  /** Receives the earlier record, if any, and the new one, before the new one takes effect. If it throws, nothing is changed. */
  review?: (before: PluginRecord | undefined, after: PluginRecord) => void;
}

/** Describes the result of {@link addPlugin}. */
export interface AddedPlugin {
  /** Names the plugin in the configuration. */
  use: string;
  /** Contains its trial. */
  record: PluginRecord & Required<Pick<PluginRecord, "plugin">>;
  /** States whether the configuration was changed. `by hand`: it is code, so a person must change it. */
  outcome: EditOutcome;
}

/**
 * Installs a plugin, tries it in a separate process, and adds it to the configuration. If a step fails, nothing is changed: also if the
 * configuration fits the installed version, but not the new one.
 *
 * @throws HaftError `PACKAGE_…`, `PLUGIN_…`, `CONTRACT_UNKNOWN`, `CONFIG_INVALID`, `FILE_BUSY`, `HOST_PROGRAM_CHANGED`
 * @example
 * ```ts
 * import { parsePackageSpec } from "@haft/plugin-loader/internal/plugins";
 * import { type AddOptions, addPlugin } from "@haft/plugin-loader/internal/check";
 * declare const options: AddOptions;
 * const { use, outcome } = await addPlugin(parsePackageSpec("haft-plugin-weather", process.cwd()), options);
 * ```
 */
export async function addPlugin(spec: PackageSpec, options: AddOptions): Promise<AddedPlugin> {
  const { target } = options;
  return withEditLock(options, async () => {
    if (spec.from === "module" || spec.from === "folder") {
      const file = spec.from === "folder" ? toFolderEntry(spec.path) : spec.path;
      refuseHaftPackage(readPackageJson(spec.path)?.["name"]);
      return tryAndName(formatPluginPath(file, target), undefined, options);
    }
    refuseHaftPackage(spec.name);
    const earlier = options.records.read(toPluginReference(spec.name, target));
    // An existing dependency may have other users.
    const ours = readDependency(target.folder, spec.name) === undefined || earlier?.pinned?.ours === true;
    const stale = earlier?.pinned === undefined ? [] : findChangedPackages(earlier);
    const beside = await listPinnedSiblings(spec.name, options);
    return installPackage(spec, { ...options, stale }, async ({ name, ...installed }) => {
      const again = await retryChangedSiblings(beside, options);
      requireWorkingSiblings(again, name);
      const added = await tryAndName(name, { ...installed, ours }, options);
      for (const { placed, record } of again) options.records.write(placed, record);
      return added;
    });
  });
}

/**
 * Packages of Haft would replace the running packages there.
 *
 * @throws HaftError `PACKAGE_INVALID`
 */
function refuseHaftPackage(name: unknown): void {
  if (typeof name !== "string" || !/^(?:haft|@haft\/.*)$/i.test(name)) return;
  throw pluginLoaderError(
    "PACKAGE_INVALID",
    `${name} is a name of Haft's own packages, and no plugin. Nothing was added.`,
    {
      fix: "Name a plugin; the author of one with such a name has to call it something else.",
    },
  );
}

async function tryAndName(
  use: string,
  pinned: PinnedPackage | undefined,
  { target, records, withProgress, signal, review }: AddOptions,
): Promise<AddedPlugin> {
  const placed = toPluginReference(use, target);
  const before = records.read(placed);
  // Hosts that only read records need the same record.
  const tried = await withProgress(`trying ${use}`, () => tryPlugin(placed, { before }));
  const { plugin, problem } = tried;
  if (plugin === undefined) throw refused(problem);
  if (signal?.aborted === true)
    throw pluginLoaderError("PACKAGE_INSTALL_FAILED", `Adding ${use} was stopped. Nothing was changed.`, {
      fix: "Start it again.",
    });
  const sound = { ...tried, plugin };
  const record = pinned === undefined ? sound : await pinPlugin(sound, pinned);
  if (before?.plugin !== undefined)
    await requireFittingConfig(use, { before: before.plugin, plugin, target });
  review?.(before, record);
  records.write(placed, record);
  try {
    return { use, record, outcome: await addConfiguredPlugin(target, use) };
  } catch (thrown) {
    if (before === undefined) records.remove(placed);
    else records.write(placed, before);
    throw thrown;
  }
}

/**
 * Returns the reference to a plugin of a configuration.
 *
 * @example
 * ```ts run
 * import { toPluginReference } from "@haft/plugin-loader/internal/check";
 * const target = { folder: "/etc/agent", file: "/etc/agent/haft.config.yaml" };
 * toPluginReference("haft-plugin-weather", target).from; // => "/etc/agent"
 * ```
 */
export function toPluginReference(
  use: string,
  { folder, file }: Pick<InstallTarget, "folder" | "file">,
): PluginReference {
  return { use, from: folder, source: file };
}

function refused(problem: PluginRecord["problem"]): HaftError {
  const {
    code = "PLUGIN_INVALID",
    message = "It is not a plugin.",
    fix = "Report it to its author.",
  } = problem ?? {};
  // The message may contain untrusted text.
  return new HaftError(code, `${escapeInvisible(message)} Nothing was added.`, {
    category: "input",
    fix,
    receipt: "none",
  });
}
