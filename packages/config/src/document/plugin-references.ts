import type { Plugin } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { formatPath } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { isDeepStrictEqual } from "node:util";

/**
 * Describes a plugin with its settings.
 *
 * @example
 * ```ts
 * import type { PluginEntry } from "@haft/config";
 * const weather: PluginEntry = { use: "haft-plugin-weather", config: { units: "metric" } };
 * const shell: PluginEntry = { use: "./plugins/shell.ts", replaces: ["exec"] };
 * ```
 */
export interface PluginEntry {
  /** Names an installed package (`haft-plugin-weather`), or a file: `./local.ts`, `~/one.js`. In code it can be the plugin itself. */
  use: string | Plugin;
  /**
   * Sets `context.config` of each factory. Default: the settings of the plugin itself. A secret can be `{ env: NAME }` or
   * `{ file: PATH }`, if the plugin marks it as secret and `use` names it.
   */
  config?: unknown;
  /** Names other tools that it may replace: `["exec"]`. Default: none. */
  replaces?: readonly string[];
}

export interface PluginReference extends Omit<PluginEntry, "use"> {
  use: string;
  /** Absolute. `use` is resolved only from this folder. */
  from: string;
  /** A file, or `--plugin`. */
  source: string;
  /** The position in the file: `plugins[2]`. */
  at?: string;
  /** Returns the line of a part of `config`, unless the file is code. */
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
      config: { description: "Its settings. A secret can be { env: NAME } or { file: PATH }." },
      replaces: {
        type: "array",
        items: { type: "string" },
        description: "Names of other tools that its tools may take, including built-in tools.",
      },
    },
    ["use"],
  );
const ENTRY = entryWith(NAME);
const ENTRY_IN_CODE = entryWith({ anyOf: [NAME, { "haft:kind": "object" }] });

export const PLUGIN_IN_FILES: OptionSchema = { anyOf: [NAME, ENTRY] };

/** Returns the schema with the best messages; `undefined` if the host checks the entry. */
export function getEntrySchema(entry: unknown, isCode: boolean): OptionSchema | undefined {
  if (isCode && !isEntry(entry)) return typeof entry === "string" ? NAME : undefined;
  if (typeof entry !== "object" || entry === null) return NAME;
  return isCode ? ENTRY_IN_CODE : ENTRY;
}

type Position = Pick<PluginReference, "from" | "source" | "at" | "getLine">;
const references = new WeakMap<object, PluginReference>();
const sources = new WeakMap<object, Position>();

/** Returns a stand-in for a named plugin until a host loads it; other entries only get their position. */
export function attachPluginReference(
  entry: string | PluginEntry | Plugin,
  position: Position,
): Plugin | (PluginEntry & { use: Plugin }) {
  const { use, ...more } = isEntry(entry) ? entry : { use: entry };
  if (typeof use !== "string") {
    const given: PluginEntry & { use: Plugin } = { use, ...more };
    sources.set(given, position);
    return given;
  }
  const plugin: Plugin = { id: use, tools: [] };
  references.set(plugin, withoutUndefined({ use, ...more, ...position }));
  return plugin;
}

/** Returns the argument of {@link attachPluginReference}; `undefined` for other plugins. */
export function getPluginReference(plugin: unknown): PluginReference | undefined {
  return references.get(plugin as object);
}

/** Returns whether two entries describe the same plugin; the later position is then stored. */
export function transferPluginReference(before: Plugin | PluginEntry, now: Plugin | PluginEntry): boolean {
  if (before === now) return true;
  const [old, other] = [getPluginReference(before), getPluginReference(now)];
  if (old !== undefined && other !== undefined) {
    if (!isDeepStrictEqual(toComparable(old), toComparable(other))) return false;
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

function toComparable({ use, from, source, config, replaces }: PluginReference): object {
  return { use, from, source, config, replaces };
}

/** Returns the position of an entry with the plugin itself; `undefined` for an entry of a program. */
export function getPluginSource(entry: unknown): Omit<Position, "from"> | undefined {
  return sources.get(entry as object);
}

export function getEntryName(entry: Plugin | PluginEntry): string {
  const use: unknown = isEntry(entry) ? entry.use : entry;
  if (typeof use === "string") return use;
  return (use as Partial<Plugin> | undefined)?.id ?? String(use);
}

/** Formats `haft.config.yaml:7: plugins[0].config.units`. */
export function formatConfigLocation(
  { source, at = "", getLine }: Omit<Position, "from">,
  path: readonly (string | number)[],
): string {
  const line = getLine?.(path);
  return `${line === undefined ? source : `${source}:${line}`}: ${[at, formatPath(["config", ...path])].filter(Boolean).join(".")}`;
}

export function isEntry(value: unknown): value is PluginEntry {
  return typeof value === "object" && value !== null && "use" in value;
}
