import type { Plugin } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { formatPath } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { isDeepStrictEqual } from "node:util";

/**
 * A plugin with the settings of its operator.
 *
 * @example
 * ```ts
 * import type { PluginEntry } from "@haft/config";
 * const weather: PluginEntry = { use: "haft-plugin-weather", config: { units: "metric" } };
 * const shell: PluginEntry = { use: "./plugins/shell.ts", replaces: ["exec"] };
 * ```
 */
export interface PluginEntry {
  /**
   * A package that is installed beside the configuration (`haft-plugin-weather`), or a file: `./local.ts`, `~/one.js`. In code it can
   * also be the plugin itself.
   */
  use: string | Plugin;
  /** The settings that each factory gets as `context.config`. Default: the settings of the plugin itself. */
  config?: unknown;
  /** Names of other tools that its tools may take, built-in ones included: `["exec"]`. Default: none. */
  replaces?: readonly string[];
}

/** A plugin that is named, and by whom. */
export interface PluginReference extends Omit<PluginEntry, "use"> {
  /** As it was written. */
  use: string;
  /** The folder that `use` is looked up from, and nowhere else. Absolute. */
  from: string;
  /** Who names it: a file, or `--plugin`. */
  source: string;
  /** Where in the file: `plugins[2]`. */
  at?: string;
  /** The line of a part of its `config` there, where the file is no code. */
  getLine?: (path: readonly (string | number)[]) => number | undefined;
}

const NAME: OptionSchema = {
  type: "string",
  minLength: 1,
  description: "A package that is installed beside the configuration, or a file: ./local.ts.",
};
const entryWith = (use: OptionSchema): OptionSchema =>
  optionsSchema<PluginEntry>(
    {
      use,
      config: { description: "Its settings." },
      replaces: {
        type: "array",
        items: { type: "string" },
        description: "Names of other tools that its tools may take, built-in ones too.",
      },
    },
    ["use"],
  );
const ENTRY = entryWith(NAME);
const ENTRY_IN_CODE = entryWith({ anyOf: [NAME, { "haft:kind": "object" }] });

/** What a file can say of one. */
export const PLUGIN_IN_FILES: OptionSchema = { anyOf: [NAME, ENTRY] };

/** The schema that has the most to say about this one; `undefined` for what a host has to look at. */
export function getEntrySchema(entry: unknown, isCode: boolean): OptionSchema | undefined {
  if (isCode && !isEntry(entry)) return typeof entry === "string" ? NAME : undefined;
  if (typeof entry !== "object" || entry === null) return NAME;
  return isCode ? ENTRY_IN_CODE : ENTRY;
}

type Place = Pick<PluginReference, "from" | "source" | "at" | "getLine">;
const places = new WeakMap<object, PluginReference>();
const sources = new WeakMap<object, Place>();

/** What stands for a plugin that is named, until a host loads it; of others an entry that remembers its place. */
export function attachPluginReference(
  entry: string | PluginEntry | Plugin,
  place: Place,
): Plugin | PluginEntry {
  const { use, ...more } = isEntry(entry) ? entry : { use: entry };
  if (typeof use !== "string") {
    const given: PluginEntry = { use, ...more };
    sources.set(given, place);
    return given;
  }
  const plugin: Plugin = { id: use, tools: [] };
  places.set(plugin, withoutUndefined({ use, ...more, ...place }));
  return plugin;
}

/** What {@link attachPluginReference} was given; `undefined` for any other plugin. */
export function getPluginReference(plugin: unknown): PluginReference | undefined {
  return places.get(plugin as object);
}

/**
 * Whether an entry says of a plugin what another one said, perhaps at another place of the same file; then that one takes this
 * place.
 */
export function transferPluginReference(before: Plugin | PluginEntry, now: Plugin | PluginEntry): boolean {
  if (before === now) return true;
  const [old, other] = [getPluginReference(before), getPluginReference(now)];
  if (old !== undefined && other !== undefined) {
    if (!isDeepStrictEqual(saidOf(old), saidOf(other))) return false;
    Object.assign(old, withoutUndefined<Partial<PluginReference>>({ at: other.at, getLine: other.getLine }));
    return true;
  }
  const [was, is] = [sources.get(before), sources.get(now)];
  if (was === undefined || is === undefined || !isEntry(before) || !isEntry(now)) return false;
  if (was.source !== is.source || before.use !== now.use) return false;
  if (!isDeepStrictEqual({ ...before }, { ...now })) return false;
  sources.set(before, is);
  return true;
}

function saidOf({ use, from, source, config, replaces }: PluginReference): object {
  return { use, from, source, config, replaces };
}

/** Where an entry stands that has the plugin itself; `undefined` for one of a program. */
export function getPluginSource(entry: unknown): Omit<Place, "from"> | undefined {
  return sources.get(entry as object);
}

/** What people know it by. */
export function getEntryName(entry: Plugin | PluginEntry): string {
  const use: unknown = isEntry(entry) ? entry.use : entry;
  if (typeof use === "string") return use;
  return (use as Partial<Plugin> | undefined)?.id ?? String(use);
}

/** Where a part of the `config` of a plugin stands: `haft.config.yaml:7: plugins[0].config.units`. */
export function formatConfigLocation(
  { source, at = "", getLine }: Omit<Place, "from">,
  path: readonly (string | number)[],
): string {
  const line = getLine?.(path);
  return `${line === undefined ? source : `${source}:${line}`}: ${[at, formatPath(["config", ...path])].filter(Boolean).join(".")}`;
}

export function isEntry(value: unknown): value is PluginEntry {
  return typeof value === "object" && value !== null && "use" in value;
}
