import type { PluginEntry } from "@haft/config";
import {
  isEntry,
  type PluginReference,
  getPluginReference,
  formatConfigLocation,
  getPluginSource,
} from "@haft/config/internal/document";
import { type Plugin, getErrorMessage } from "@haft/core";
import { toPluginError, type ToolDiagnostic } from "@haft/core/internal";
import { attempt } from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { availableParallelism } from "node:os";
import { areUnchanged, areAllMissing } from "../describe/file-stamps.ts";
import type { TriedPlugin } from "../load/load-tried-plugin.ts";
import { getPinGuard, findPinProblem } from "../load/pinned-plugin.ts";
import { resolvePluginConfig } from "../load/plugin-config.ts";
import {
  type PluginRecord,
  PluginRecords,
  getTrialFingerprint,
  type RuntimeFailure,
} from "../load/plugin-record.ts";
import { type PluginReport, reportRecord, reportPlugin } from "../load/plugin-report.ts";
import { isPath, getPackageFolder, getPluginPath } from "../load/resolve-plugin.ts";
import { servePlugin } from "../load/serve-plugin.ts";
import { findPackageFolder } from "../packages/pinned-files.ts";

/**
 * Describes the result of {@link openPlugins}.
 *
 * @example
 * ```ts
 * import type { OpenedPlugins } from "@haft/plugin-loader/internal/plugins";
 * declare const opened: OpenedPlugins;
 * const broken = opened.reports().filter(({ state }) => state === "broken");
 * ```
 */
export interface OpenedPlugins {
  /** Contains the usable plugins. */
  plugins: readonly Plugin[];
  /** Explains the unusable plugins. */
  diagnostics: readonly ToolDiagnostic[];
  /** Maps plugin ids to tools that these may replace. */
  replaces: ReadonlyMap<string, readonly string[]>;
  /** Lists absolute paths of code, which sessions must not change. */
  code: readonly string[];
  /** Returns the state of each plugin. */
  reports(): PluginReport[];
  /** Returns file and line of a part of a plugin's configuration, or `undefined` if a program gave it. */
  formatLocation(pluginId: string, path: readonly (string | number)[]): string | undefined;
  /** Returns the ids of usable plugins. */
  listIds(entries: ReadonlySet<Plugin | PluginEntry>): string[];
  /** Returns problems of unusable plugins. */
  listDiagnostics(entries: ReadonlySet<Plugin | PluginEntry>): ToolDiagnostic[];
}

/**
 * Configures {@link openPlugins}.
 *
 * @example
 * ```ts
 * import type { OpenPluginsOptions } from "@haft/plugin-loader/internal/plugins";
 * const options: OpenPluginsOptions = { stateDir: "/var/lib/agent", warn: (message) => console.warn(message) };
 * ```
 */
export interface OpenPluginsOptions {
  /** Names the state folder; `undefined` for records in memory. */
  stateDir: string | undefined;
  /** Receives sentences for a person. */
  warn: (message: string) => void;
}

/** All callers share an entry. */
const openedBefore = new WeakMap<object, Opened>();

/**
 * Opens plugins. Known plugins are not loaded yet. Others are tried first, each in a separate process. A broken plugin does not affect
 * other tools, and is not tried again until its files change.
 *
 * @param given Plugins as objects, or entries of a configuration.
 * @example
 * ```ts
 * import { openPlugins } from "@haft/plugin-loader/internal/plugins";
 * import { definePlugin } from "@haft/plugin-sdk";
 * const weather = definePlugin({ id: "weather", tools: [] });
 * const { plugins, diagnostics } = await openPlugins([weather], { stateDir: undefined, warn: console.warn });
 * ```
 */
export async function openPlugins(
  given: readonly (Plugin | PluginEntry)[],
  { stateDir, warn }: OpenPluginsOptions,
): Promise<OpenedPlugins> {
  const records = new PluginRecords(stateDir, warn);
  const context = { records, tell: warn };
  const stamps = new Map<string, string | undefined>();
  const unknown: { index: number; placed: PluginReference; record: PluginRecord | undefined }[] = [];
  const named = given.filter(
    (entry) => (getPluginReference(entry) ?? getPluginSource(entry)) !== undefined,
  ).length;
  const entries = given.map((entry, index): Opened | undefined => {
    const placed = getPluginReference(entry);
    const before = openedBefore.get(entry);
    if (before !== undefined && before.diagnostic === undefined) return before;
    if (placed === undefined) {
      const one = openGiven(entry, index - named);
      if (isEntry(entry)) openedBefore.set(entry, one);
      return one;
    }
    const { source } = placed;
    const record = records.read(placed);
    // Its author tests it now; a variable may be missing.
    const isBeingWritten = source === "--plugin" && record?.problem !== undefined;
    const isUsable = record !== undefined && !isBeingWritten && holds(record, stamps);
    const usable = isUsable ? record : record && withheldRecord(record);
    const known = usable && openKnown(placed, usable, context);
    if (known === undefined) unknown.push({ index, placed, record });
    else openedBefore.set(entry, known);
    return known;
  });
  await several(unknown, Math.max(2, availableParallelism()), async ({ index, placed, record }) => {
    const known = openKnown(placed, await tryAgain(placed, record, records), context);
    openedBefore.set(given[index]!, known);
    entries[index] = known;
  });
  const opened = entries.filter((one) => one !== undefined);
  const those = (some: ReadonlySet<unknown>) => opened.filter((_, index) => some.has(given[index]));
  const replaces = new Map<string, readonly string[]>();
  for (const { plugin, replaces: allowed } of opened)
    if (plugin !== undefined && allowed !== undefined && !replaces.has(plugin.id))
      replaces.set(plugin.id, allowed);
  return {
    plugins: opened.flatMap(({ plugin }) => plugin ?? []),
    diagnostics: opened.flatMap(({ diagnostic }) => diagnostic ?? []),
    replaces,
    code: opened.flatMap(({ code }) => code),
    reports: () => opened.map((one) => one.report()),
    formatLocation: (pluginId, path) => {
      const position = opened.find(({ plugin }) => plugin?.id === pluginId)?.place;
      return position && formatConfigLocation(position, path);
    },
    listIds: (some) => those(some).flatMap(({ plugin }) => plugin?.id ?? []),
    listDiagnostics: (some) => those(some).flatMap(({ diagnostic }) => diagnostic ?? []),
  };
}

/**
 * Returns the record of a named plugin. Without a valid record, it tries the plugin and stores the new record. A pinned plugin whose files
 * changed is not tried.
 *
 * @param options `again` tries the plugin also if its record is valid.
 * @example
 * ```ts
 * import { getPluginRecord } from "@haft/plugin-loader/internal/plugins";
 * const reference = { use: "./weather.ts", from: "/etc/agent", source: "my program" };
 * const record = await getPluginRecord(reference, { stateDir: "/var/lib/agent", warn: console.warn, again: true });
 * ```
 */
export async function getPluginRecord(
  placed: PluginReference,
  { stateDir, warn, again = false }: OpenPluginsOptions & { again?: boolean },
): Promise<PluginRecord> {
  const records = new PluginRecords(stateDir, warn);
  const record = records.read(placed);
  if (record !== undefined && !again && holds(record)) return record;
  return (record && withheldRecord(record)) ?? tryAgain(placed, record, records);
}

/** Returns the record of a plugin that differs from its pin. It is not stored, because the pinned files may return. */
function withheldRecord(record: PluginRecord): PluginRecord | undefined {
  const problem = findPinProblem(record);
  if (problem === undefined) return undefined;
  const { plugin: _plugin, ...rest } = record;
  return withoutUndefined({ ...rest, problem, before: describeBefore(record) });
}

function describeBefore({ plugin }: PluginRecord): PluginRecord["before"] {
  return plugin && { id: plugin.id, names: plugin.registrations.flatMap(({ names }) => names) };
}

async function tryAgain(
  placed: PluginReference,
  before: PluginRecord | undefined,
  records: PluginRecords,
): Promise<PluginRecord> {
  const { tryPlugin } = await import("../trial/try-plugin.ts");
  const pins = before && getPinGuard(before);
  const tried = await tryPlugin(placed, { before, guards: pins === undefined ? [] : [pins] });
  const record =
    before?.pinned === undefined
      ? tried
      : withoutUndefined<PluginRecord>({ ...tried, pinned: before.pinned, packages: before.packages });
  // A pin stays while its files are missing.
  if (before?.pinned === undefined || tried.problem === undefined) records.write(placed, record);
  return record;
}

/** Requires the same Haft. A plugin that differed when it was loaded is tried again. */
function holds(record: PluginRecord, stamps?: Map<string, string | undefined>): boolean {
  return (
    record.triedWith === getTrialFingerprint() &&
    record.late?.code !== "PLUGIN_CHANGED" &&
    areUnchanged(record.files, stamps) &&
    areAllMissing(record.missing) &&
    findPinProblem(record) === undefined
  );
}

function openKnown(
  placed: PluginReference,
  record: PluginRecord,
  { records, tell }: { records: PluginRecords; tell: OpenPluginsOptions["warn"] },
): Opened {
  const { use, source, replaces = [] } = placed;
  const code = codeOf(placed, record);
  const where = () => ({ source, at: placed.at, replaces });
  const configured = isTried(record) ? resolvePluginConfig(placed, record.plugin.configSchema) : undefined;
  const problem = configured !== undefined && "problem" in configured ? configured.problem : record.problem;
  if (!isTried(record) || configured === undefined || "problem" in configured) {
    const { code: kind, message, fix } = problem!;
    const isConfigProblem = record.problem === undefined;
    const { id = "", names = [] } = (isConfigProblem ? describeBefore(record) : record.before) ?? {};
    const location = placed.at === undefined ? source : `${placed.at} of ${source}`;
    return {
      diagnostic: {
        code: kind,
        pluginId: id,
        names,
        message: `A plugin is left out (${location}): ${message}`,
        fix:
          isConfigProblem || kind === "PLUGIN_CHANGED" || source === "--plugin"
            ? fix
            : `${fix} It is tried again when its files change, or with haft plugins check.`,
      },
      code,
      report: () =>
        reportRecord(
          { ...record, problem: problem! },
          {
            ...where(),
            state: kind === "PLUGIN_CHANGED" ? "withheld" : "broken",
          },
        ),
    };
  }
  let known: PluginRecord = record;
  const onLate = (failure: Omit<RuntimeFailure, "at">): void => {
    if (known.late?.message === failure.message) return;
    const late = { ...failure, at: Date.now() };
    known = { ...known, late };
    records.recordFailure(placed, late);
    tell(`${use} failed in a session: ${failure.message}`);
  };
  const onRecovery = (ended: RuntimeFailure["code"]): void => {
    if (known.late?.code !== ended) return;
    const { late: _late, ...rest } = known;
    known = rest;
    records.recordFailure(placed, undefined);
  };
  const served = servePlugin({ ...placed, config: configured.config }, record, onLate, onRecovery);
  return {
    plugin: served.plugin,
    replaces,
    code,
    place: placed,
    report: () => reportRecord(known, { ...where(), state: served.isLoaded() ? "loaded" : "ready" }),
  };
}

function isTried(record: PluginRecord): record is TriedPlugin {
  return record.plugin !== undefined && record.file !== undefined && record.problem === undefined;
}

/**
 * Returns the absolute path of a named plugin: its file, or its package folder.
 *
 * @example
 * ```ts run
 * import { getNamedPath } from "@haft/plugin-loader/internal/plugins";
 * getNamedPath({ use: "./weather.ts", from: "/etc/agent", source: "my program" }); // => "/etc/agent/weather.ts"
 * ```
 */
export function getNamedPath(placed: PluginReference): string {
  return isPath(placed.use) ? getPluginPath(placed) : getPackageFolder(placed);
}

/** Includes missing paths: the next start would load a file there. */
function codeOf(placed: PluginReference, { files, file, missing }: PluginRecord): string[] {
  const named = getNamedPath(placed);
  const modules = [...Object.keys(files), ...(file === undefined ? [] : [file])];
  // Either the package or only the file, because users edit the folder around it.
  return [...new Set([named, ...missing, ...modules.map((each) => findPackageFolder(each) ?? each)])];
}

async function several<T>(all: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const waiting = all.values();
  const run = async () => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, run));
}

interface Opened {
  plugin?: Plugin;
  diagnostic?: ToolDiagnostic;
  replaces?: readonly string[] | undefined;
  code: readonly string[];
  place?: Pick<PluginReference, "source" | "at" | "getLine"> | undefined;
  report(): PluginReport;
}

/** Operator settings are optional. */
function openGiven(entry: Plugin | PluginEntry, index: number): Opened {
  const { source = "program", at } = getPluginSource(entry) ?? {};
  const where = at === undefined ? `plugins[${index}] of this host` : `${at} of ${source}`;
  const isNothing = (value: unknown): Opened | undefined => {
    const mistake = attemptMistake(value);
    if (mistake === undefined) return undefined;
    const message = `${where} ${mistake.what}.`;
    return {
      diagnostic: { code: "PLUGIN_INVALID", pluginId: "", names: [], message, fix: mistake.fix },
      code: [],
      report: () => ({
        use: where,
        source,
        state: "broken",
        tools: [],
        replaces: [],
        notes: [],
        problem: { code: "PLUGIN_INVALID", message, fix: mistake.fix },
      }),
    };
  };
  const nothing = isEntry(entry) ? undefined : isNothing(entry);
  if (nothing !== undefined) return nothing;
  const { use, config, replaces = [] } = isEntry(entry) ? entry : { use: entry };
  const wrong = isNothing(use);
  if (wrong !== undefined) return wrong;
  const plugin = withSettings(use as Plugin, config, replaces);
  const report = () => reportPlugin(plugin, { source, at, replaces });
  return { plugin, replaces, code: [], place: getPluginSource(entry), report };
}

function attemptMistake(value: unknown): ReturnType<typeof toPluginError> {
  try {
    return toPluginError(value);
  } catch (thrown) {
    return { what: `cannot be read: ${getErrorMessage(thrown)}`, fix: "Report it to the plugin's author." };
  }
}

function withSettings(plugin: Plugin, config: unknown, replaces: readonly string[]): Plugin {
  if (config === undefined && replaces.length === 0) return plugin;
  return Object.create(plugin, {
    ...(config === undefined ? {} : { config: { value: config, enumerable: true } }),
    ...(replaces.length === 0
      ? {}
      : { replaces: { value: [...(attempt(() => plugin.replaces) ?? []), ...replaces], enumerable: true } }),
  }) as Plugin;
}
