import type { ToolEffect } from "@haft/core";
import { getDeclaredEffects } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import type { DescribedPlugin, DescribedRegistration, DescribedTool } from "../describe/describe-plugin.ts";

/** Names the manifest, in the folder of the `package.json`. */
export const MANIFEST_FILE = "haft.plugin.json";
const VERSION = 1;
/** Editors resolve the path from a package that depends on the SDK. */
const SCHEMA = "./node_modules/@haft/plugin-sdk/haft.plugin.schema.json";

/**
 * Describes a tool before its plugin runs.
 *
 * @example
 * ```ts
 * import type { ManifestTool } from "@haft/plugin-loader";
 * const forecast: ManifestTool = { name: "forecast", effects: ["network"], hosts: ["api.example.com"] };
 * ```
 */
export interface ManifestTool {
  /** Names the tool for models. */
  name: string;
  /** Names the tool for people. */
  label?: string;
  /** Describes the tool for models, unless a factory makes it. */
  description?: string;
  /** Lists all possible effects. Absent if a factory declares none. */
  effects?: readonly ToolEffect[];
  /** Lists all hosts that it may contact. Absent: any host that effects and policy permit. */
  hosts?: readonly string[];
  /** Turns the tool off until a policy names it. */
  optional?: boolean;
  /** Lists the message channels whose sessions have it. Absent: all sessions. */
  channels?: readonly string[];
  /** Lists its declared groups of the policy. */
  groups?: readonly string[];
  /** Contains the JSON Schema of its arguments, unless a factory makes it. */
  parameters?: unknown;
  /** States whether a factory makes it. */
  factory?: boolean;
}

/**
 * Describes the content of `haft.plugin.json`, generated from the code of a plugin. A host reads it instead of running the code.
 *
 * @example
 * ```ts
 * import type { Manifest } from "@haft/plugin-loader";
 * const manifest: Manifest = {
 *   manifest: 1,
 *   id: "weather",
 *   tools: [{ name: "forecast", effects: ["network"], hosts: ["api.example.com"] }],
 * };
 * ```
 */
export interface Manifest {
  /** Names the JSON Schema of this format. */
  $schema?: string;
  /** Gives the format: 1. */
  manifest: number;
  /** Identifies the plugin. */
  id: string;
  /** Names the plugin for people. */
  name?: string;
  /** Gives its version. */
  version?: string;
  /** Gives the version of its contract. */
  contract?: number;
  /** Gives the version of its SDK in the `package.json`. */
  sdk?: string;
  /** Names tools of others that it replaces. */
  replaces?: readonly string[];
  /** Contains the JSON Schema of its configuration. */
  configSchema?: object;
  /** Lists its tools in order. */
  tools: readonly ManifestTool[];
}

/**
 * Returns the manifest of a plugin that was tried.
 *
 * @param about The `package.json` of the plugin, for its version and its SDK.
 * @example
 * ```ts
 * import { type PluginRecord, toManifest } from "@haft/plugin-loader/internal/plugins";
 * declare const record: PluginRecord;
 * if (record.plugin !== undefined) console.log(JSON.stringify(toManifest(record.plugin), undefined, 2));
 * ```
 */
export function toManifest(
  { id, name, version, contract, replaces, hosts, configSchema, registrations }: DescribedPlugin,
  about: Readonly<Record<string, unknown>> = {},
): Manifest {
  return withoutUndefined<Manifest>({
    $schema: SCHEMA,
    manifest: VERSION,
    id,
    name,
    version: version ?? (typeof about["version"] === "string" ? about["version"] : undefined),
    contract,
    sdk: sdkOf(about),
    replaces: replaces?.length === 0 ? undefined : replaces,
    configSchema,
    tools: registrations.flatMap((registration) =>
      registration.names.map((each) => toolOf(each, registration, hosts)),
    ),
  });
}

function toolOf(
  name: string,
  registration: DescribedRegistration,
  hosts: DescribedPlugin["hosts"],
): ManifestTool {
  const tool: DescribedTool | undefined = registration.tools?.find((one) => one.name === name);
  const { optional, channels } = registration;
  const { label, description, groups, parameters } = tool ?? {};
  return withoutUndefined<ManifestTool>({
    name,
    label,
    description,
    effects: tool?.effects ?? getDeclaredEffects(registration.effects, name),
    hosts: tool?.hosts ?? registration.hosts ?? hosts,
    optional: optional === true ? true : undefined,
    channels,
    groups,
    parameters,
    factory: registration.tools === undefined ? true : undefined,
  });
}

const SDK = "@haft/plugin-sdk";

function sdkOf(about: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of ["dependencies", "peerDependencies", "devDependencies"]) {
    const wanted = (about[key] as Record<string, unknown> | undefined)?.[SDK];
    // A plugin may name a sibling package.
    if (typeof wanted === "string" && !wanted.startsWith("workspace:")) return wanted;
  }
  return undefined;
}
