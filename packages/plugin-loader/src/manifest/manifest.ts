import type { ToolEffect } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { DescribedPlugin, DescribedRegistration, DescribedTool } from "../describe/describe-plugin.ts";

/** The name of the manifest, a file beside the `package.json` of a plugin. */
export const MANIFEST_FILE = "haft.plugin.json";
/** Of its form. */
const VERSION = 1;
/** As editors find it from a package that depends on the SDK. */
const SCHEMA = "./node_modules/@haft/plugin-sdk/haft.plugin.schema.json";

/**
 * What is known of a tool before its plugin runs.
 *
 * @example
 * ```ts
 * import type { ManifestTool } from "@haft/plugin-loader";
 * const forecast: ManifestTool = { name: "forecast", effects: ["network"], hosts: ["api.example.com"] };
 * ```
 */
export interface ManifestTool {
  /** Its name for models. */
  name: string;
  /** Its name for people. */
  label?: string;
  /** Its description for models, unless a factory makes the tool. */
  description?: string;
  /** All effects that it may have. Absent where a factory makes it and declares none. */
  effects?: readonly ToolEffect[];
  /** All hosts that it may contact. Absent: any host that its effects and the policy permit. */
  hosts?: readonly string[];
  /** Whether it is off until a policy names it. */
  optional?: boolean;
  /** The message channels whose sessions have it. Absent: all sessions. */
  channels?: readonly string[];
  /** The groups of the policy to which it belongs, as it declares them. */
  groups?: readonly string[];
  /** The JSON Schema of its arguments, unless a factory makes the tool. */
  parameters?: unknown;
  /** Whether a factory makes it for sessions, or for some of them. */
  factory?: boolean;
}

/**
 * The content of `haft.plugin.json`: what a plugin offers, made from its code. A host reads it instead of running the code.
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
  /** The URL of the JSON Schema of this format, for editors. */
  $schema?: string;
  /** The version of the format: 1. */
  manifest: number;
  /** The id of the plugin. */
  id: string;
  /** Its name for people. */
  name?: string;
  /** Its version, for people. */
  version?: string;
  /** The version of the contract for which it is written. */
  contract?: number;
  /** The version of the SDK with which it is written, as its `package.json` names it. */
  sdk?: string;
  /** Names of tools of other plugins that it replaces. */
  replaces?: readonly string[];
  /** The JSON Schema of its configuration. */
  configSchema?: object;
  /** Its tools, in its order. */
  tools: readonly ManifestTool[];
}

/**
 * Returns the manifest of a plugin that was tried.
 *
 * @param about The content of the `package.json` of the plugin, for its version and its SDK.
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
    effects: tool?.effects ?? registration.effects,
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
    // In its own repository a plugin may name what lies beside it.
    if (typeof wanted === "string" && !wanted.startsWith("workspace:")) return wanted;
  }
  return undefined;
}
