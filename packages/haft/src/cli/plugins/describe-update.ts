import type { ManifestTool } from "@haft/plugin-loader";
import { type DescribedPlugin, type PluginRecord, toManifest } from "@haft/plugin-loader/internal/plugins";
import { isDeepStrictEqual } from "node:util";

/** Describes another version of an installed plugin. */
export interface PluginUpdate {
  from: string;
  to: string;
  /** Contains a line for each difference that users notice. */
  changes: readonly string[];
}

/** Returns `undefined` if no earlier version was installed. */
export function describeUpdate(
  before: PluginRecord | undefined,
  after: PluginRecord,
): PluginUpdate | undefined {
  const [from, to] = [before?.pinned?.version, after.pinned?.version];
  if (from === undefined || to === undefined) return undefined;
  const isKnown = before?.plugin !== undefined && after.plugin !== undefined;
  return { from, to, changes: isKnown ? listChanges(before.plugin!, after.plugin!) : [] };
}

export function formatUpdate(use: string, { from, to, changes }: PluginUpdate): string[] {
  const shown = changes.length === 0 ? ["same tools, effects and configuration"] : changes;
  return [`${use} ${from} → ${to}`, ...shown.map((line) => `  ${line}`)];
}

function listChanges(before: DescribedPlugin, after: DescribedPlugin): string[] {
  const [one, other] = [toManifest(before), toManifest(after)];
  const old = new Map(one.tools.map((tool) => [tool.name, tool]));
  const names = new Set(other.tools.map(({ name }) => name));
  return [
    ...(one.id === other.id ? [] : [`id: ${other.id} (before: ${one.id})`]),
    ...compareLists("replaced tools", one.replaces, other.replaces, "none"),
    ...compareObjects("configuration", "key", one.configSchema, other.configSchema),
    ...[...old.keys()].filter((name) => !names.has(name)).map((name) => `removed tool: ${name}`),
    ...other.tools.flatMap((tool) => {
      const earlier = old.get(tool.name);
      return earlier === undefined ? [describeNewTool(tool)] : compareTools(earlier, tool);
    }),
  ];
}

function describeNewTool({ name, effects, hosts }: ManifestTool): string {
  const where = hosts === undefined ? "" : `; hosts: ${hosts.join(", ")}`;
  return `new tool: ${name} (effects: ${formatList(effects, "unknown")}${where})`;
}

function compareTools(one: ManifestTool, other: ManifestTool): string[] {
  const { name } = other;
  const texts = (["label", "description"] as const).filter((key) => one[key] !== other[key]);
  const isOptional = other.optional === true;
  return [
    ...compareLists(`${name}: effects`, one.effects, other.effects, "unknown"),
    ...compareLists(`${name}: hosts`, one.hosts, other.hosts, "any"),
    ...compareLists(`${name}: channels`, one.channels, other.channels, "all"),
    ...compareLists(`${name}: groups`, one.groups, other.groups, "none"),
    ...((one.optional === true) === isOptional
      ? []
      : [`${name}: ${isOptional ? "a policy must name it now" : "it needs no policy now"}`]),
    ...compareObjects(name, "parameter", one.parameters, other.parameters),
    ...texts.map((key) => `${name}: new ${key}`),
  ];
}

function compareLists(
  what: string,
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
  absent: string,
): string[] {
  const [before, after] = [formatList(one, absent), formatList(other, absent)];
  return before === after ? [] : [`${what}: ${after} (before: ${before})`];
}

function formatList(list: readonly string[] | undefined, absent: string): string {
  return list === undefined ? absent : list.toSorted().join(", ") || "none";
}

interface ObjectSchema {
  properties?: Readonly<Record<string, unknown>>;
  required?: readonly string[];
}

function compareObjects(where: string, kind: string, one: unknown, other: unknown): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  const { properties: before = {}, required: neededBefore = [] } = (one ?? {}) as ObjectSchema;
  const { properties: after = {}, required: needed = [] } = (other ?? {}) as ObjectSchema;
  const lines: string[] = [];
  const add = (what: string, names: readonly string[]): void => {
    if (names.length > 0)
      lines.push(`${where}: ${what} ${kind}${names.length > 1 ? "s" : ""} ${names.join(", ")}`);
  };
  const isNew = (name: string) => !Object.hasOwn(before, name);
  const shared = Object.keys(after).filter((name) => !isNew(name));
  add(
    "removed",
    Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
  );
  add(
    "new required",
    Object.keys(after).filter((name) => isNew(name) && needed.includes(name)),
  );
  add(
    "new optional",
    Object.keys(after).filter((name) => isNew(name) && !needed.includes(name)),
  );
  add(
    "now required",
    shared.filter((name) => needed.includes(name) && !neededBefore.includes(name)),
  );
  add(
    "now optional",
    shared.filter((name) => !needed.includes(name) && neededBefore.includes(name)),
  );
  add(
    "changed",
    shared.filter((name) => !isDeepStrictEqual(before[name], after[name])),
  );
  return lines.length > 0 ? lines : [`${where}: changed schema`];
}
