import type { Plugin, ToolFacts } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { DescribedPlugin, DescribedRegistration, PluginProblem } from "../describe/describe-plugin.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { RuntimeFailure, PinnedPackage, PluginRecord } from "./plugin-record.ts";

/** A tool of a plugin, as far as it is known without a session. */
export interface PluginToolReport {
  /** As models call it, if no other tool has that name. */
  name: string;
  /** `static`: the same in every session, and the plugin is loaded when it is called. `factory`: made for sessions. */
  from: "static" | "factory";
  /** Off until a policy names it. */
  optional: boolean;
  /** Only in sessions of these channels. */
  channels?: readonly string[];
  /** Of static tools; of others as the plugin declares them. */
  effects?: ToolFacts["effects"];
  /** As models are told; of static tools. */
  description?: string;
}

/** A plugin of a host, and what became of it. */
export interface PluginReport {
  /** What names it: a package or a file; of one that was given by a program its id. */
  use: string;
  /** Who names it: a file, `--plugin`, `program`, or `built-in`. */
  source: string;
  /** Where in that file: `plugins[2]`. */
  at?: string;
  /**
   * `ready`: known, and loaded when it is needed. `loaded`: in this process. `broken`: left out, for {@link problem}.
   * `withheld`: left out, since it is not what was pinned.
   * `given`: a program has it already; what is wrong with it is in the diagnostics of the host.
   */
  state: "ready" | "loaded" | "broken" | "withheld" | "given";
  /** As the plugin says; of a broken one as it said when it was last loaded. */
  id?: string;
  /** For people. */
  name?: string;
  /** Of the plugin; of its package, where it does not say. */
  version?: string;
  /** The module. */
  file?: string;
  /** The package that it belongs to, where it is installed. */
  package?: { name: string; version: string; folder: string };
  /** What its package says of it, which was found to be true of its code. */
  manifest?: Manifest;
  /** JSON Schema of its configuration. */
  configSchema?: object;
  /** None of one that is broken. */
  tools: readonly PluginToolReport[];
  /** Names of built-in tools that it may replace. */
  replaces: readonly string[];
  /** Why it is left out. */
  problem?: PluginProblem;
  /** What went wrong last in a session, since its files are as they are. */
  late?: RuntimeFailure;
  /** What its author should know. */
  notes: readonly string[];
  /** What `haft plugins add` installed, and its files have to be. */
  pinned?: PinnedPackage;
  /** Milliseconds since 1970. */
  triedAt?: number;
  /** Who makes JavaScript of it. */
  loader?: "node" | "tsx";
}

/** Of one that was tried. */
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
      const told = manifest?.tools.find((tool) => tool.name === name);
      return withoutUndefined<PluginToolReport>({
        name,
        from: tools === undefined ? "factory" : "static",
        optional,
        channels,
        effects: known?.effects ?? effects ?? told?.effects,
        description: known?.description,
      });
    }),
  );
}

/** Of one that is there as an object. */
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
    // The registry says what is wrong with it.
    return withoutUndefined<PluginReport>({ use: "", ...about, state: "given", tools: [], notes: [] });
  }
}
