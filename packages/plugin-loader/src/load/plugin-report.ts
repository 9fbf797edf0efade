import type { Plugin, ToolFacts } from "@haft/core";
import { getDeclaredEffects } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import type { DescribedPlugin, DescribedRegistration, PluginProblem } from "../describe/describe-plugin.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { RuntimeFailure, PinnedPackage, PluginRecord } from "./plugin-record.ts";

/**
 * Describes a tool of a plugin without a session.
 *
 * @example
 * ```ts
 * import type { PluginToolReport } from "@haft/plugin-loader";
 * const format = ({ name, from, effects = [] }: PluginToolReport) =>
 *   from === "factory" ? `${name}: depends on the session` : `${name}: ${effects.join(", ") || "no effects"}`;
 * ```
 */
export interface PluginToolReport {
  /** Names the tool for models, unless another tool has that name. */
  name: string;
  /** `static`: it is equal in every session, and a call loads the plugin. `factory`: it is made for each session. */
  from: "static" | "factory";
  /** States whether a policy must name it. */
  optional: boolean;
  /** Lists the message channels whose sessions have it. Absent: all sessions. */
  channels?: readonly string[];
  /** Lists its effects, for a factory the declared effects. */
  effects?: ToolFacts["effects"];
  /** Describes a static tool for models. */
  description?: string;
}

/**
 * Describes a plugin of a host, and its state.
 *
 * @example
 * ```ts
 * import type { PluginReport } from "@haft/plugin-loader";
 * const format = ({ use, state, tools, problem }: PluginReport) =>
 *   problem === undefined ? `${use} (${state}): ${tools.length} tools` : `${use}: ${problem.message}`;
 * ```
 */
export interface PluginReport {
  /** Names it: a package or a file; for an object its id. */
  use: string;
  /** Names its source: a file, `--plugin`, `program`, or `built-in`. */
  source: string;
  /** Gives the position: `plugins[2]`. */
  at?: string;
  /**
   * `ready`: it is loaded when needed. `loaded`: it is loaded in this process. `broken`: {@link problem} has the reason. `withheld`: it
   * differs from the pinned version. `given`: a program gave it as an object; the diagnostics of the host contain its problems.
   */
  state: "ready" | "loaded" | "broken" | "withheld" | "given";
  /** Identifies the plugin; for a broken plugin as last loaded. */
  id?: string;
  /** Names it for people. */
  name?: string;
  /** Gives the version of the plugin, else of its package. */
  version?: string;
  /** Contains the path of its module. */
  file?: string;
  /** Describes its package. */
  package?: { name: string; version: string; folder: string };
  /** Contains its manifest, which matches the code. */
  manifest?: Manifest;
  /** Contains the schema of its configuration. */
  configSchema?: object;
  /** Lists tools; empty for a broken plugin. */
  tools: readonly PluginToolReport[];
  /** Names tools that it may replace. */
  replaces: readonly string[];
  /** Explains a broken plugin. */
  problem?: PluginProblem;
  /** Contains the last failure since its files changed. */
  late?: RuntimeFailure;
  /** Contains sentences for its author. */
  notes: readonly string[];
  /** Contains the version of `haft plugins add`. Its files must stay unchanged. */
  pinned?: PinnedPackage;
  /** Gives the time of its trial, in milliseconds since the epoch. */
  triedAt?: number;
  /** Names its loader. */
  loader?: "node" | "tsx";
}

/**
 * Returns the report of a plugin that was tried.
 *
 * @example
 * ```ts
 * import { type PluginRecord, reportRecord } from "@haft/plugin-loader/internal/plugins";
 * declare const record: PluginRecord;
 * const report = reportRecord(record, { source: "haft.config.yaml", state: "ready", replaces: [] });
 * ```
 */
export function reportRecord(
  record: PluginRecord,
  about: Pick<PluginReport, "source" | "state" | "replaces"> & { at?: string | undefined },
): PluginReport {
  const { use, plugin, before, file, problem, late, notes, triedAt, loader } = record;
  return withoutUndefined<PluginReport>({
    use,
    ...about,
    id: plugin?.id ?? before?.id,
    name: plugin?.name,
    version: plugin?.version ?? record.package?.version,
    file,
    package: record.package,
    pinned: record.pinned,
    manifest: record.manifest,
    configSchema: plugin?.configSchema,
    tools: toolsOf(plugin, record.manifest),
    problem,
    late,
    notes,
    triedAt,
    loader,
  });
}

function toolsOf(plugin: DescribedPlugin | undefined, manifest?: Manifest): PluginToolReport[] {
  return (plugin?.registrations ?? []).flatMap(({ names, optional = false, channels, effects, tools }) =>
    names.map((name) => {
      const known = tools?.find((tool) => tool.name === name);
      const declared = manifest?.tools.find((tool) => tool.name === name);
      return withoutUndefined<PluginToolReport>({
        name,
        from: tools === undefined ? "factory" : "static",
        optional,
        channels,
        effects: known?.effects ?? getDeclaredEffects(effects, name) ?? declared?.effects,
        description: known?.description,
      });
    }),
  );
}

/**
 * Returns the report of a plugin object. Its state is `given`.
 *
 * @example
 * ```ts
 * import { reportPlugin } from "@haft/plugin-loader/internal/plugins";
 * import { definePlugin } from "@haft/plugin-sdk";
 * const plugin = definePlugin({ id: "weather", tools: [] });
 * const report = reportPlugin(plugin, { source: "program", replaces: [] });
 * ```
 */
export function reportPlugin(
  plugin: Plugin,
  about: Pick<PluginReport, "source" | "replaces"> & { at?: string | undefined },
): PluginReport {
  try {
    const { id, name, version, source: file, tools } = plugin;
    const registrations = tools.map(({ names, optional, channels, static: isStatic }) => ({
      ...withoutUndefined<Omit<DescribedRegistration, "scope">>({ names, optional, channels }),
      scope: "session" as const,
      ...(isStatic === true && { tools: [] }),
    }));
    const described = { id, registrations };
    return withoutUndefined<PluginReport>({
      use: id,
      ...about,
      state: "given",
      id,
      name,
      version,
      file,
      tools: toolsOf(described),
      notes: [],
    });
  } catch {
    return withoutUndefined<PluginReport>({ use: "", ...about, state: "given", tools: [], notes: [] });
  }
}
