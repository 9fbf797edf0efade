import type { ToolEffect } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { DescribedPlugin, DescribedRegistration, DescribedTool } from "../describe/describe-plugin.ts";

/** The name of the file, beside the `package.json` of a plugin. */
export const MANIFEST_FILE = "haft.plugin.json";
/** Of its form. */
const VERSION = 1;
/** As editors find it from a package that depends on the SDK. */
const SCHEMA = "./node_modules/@haft/plugin-sdk/haft.plugin.schema.json";

/** What is known of a tool without running its plugin. */
export interface ManifestTool {
  /** As models call it. */
  name: string;
  /** For people. */
  label?: string;
  /** For models; of finished tools. */
  description?: string;
  /** All that it may do. Absent where a factory makes it and does not say. */
  effects?: readonly ToolEffect[];
  /** All hosts that it may contact. Absent: any, as far as its effects and policies go. */
  hosts?: readonly string[];
  /** Off until a policy names it. */
  optional?: boolean;
  /** In sessions of these message channels alone. */
  channels?: readonly string[];
  /** Policy groups it names itself. */
  groups?: readonly string[];
  /** JSON Schema of its arguments; of finished tools. */
  parameters?: unknown;
  /** A factory makes it for sessions, or for some of them. */
  factory?: boolean;
}

/** What a plugin says of itself in `haft.plugin.json`, made from its code. */
export interface Manifest {
  /** Of the JSON Schema of this form, for editors. */
  $schema?: string;
  /** Version of the form: 1. */
  manifest: number;
  /** As the plugin says. */
  id: string;
  /** For people. */
  name?: string;
  /** Of the plugin, for people. */
  version?: string;
  /** The contract it is written for. */
  contract?: number;
  /** The SDK it is written with, as its `package.json` asks for it. */
  sdk?: string;
  /** Names of other plugins' tools it replaces. */
  replaces?: readonly string[];
  /** JSON Schema of its configuration. */
  configSchema?: object;
  /** What it offers, in its own order. */
  tools: readonly ManifestTool[];
}

/**
 * The manifest of a plugin that was tried.
 *
 * @param about `package.json` of the plugin
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
