import type { ModelFacts, Plugin, SessionKind } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import type { PolicyConfig, SessionRules } from "@haft/policy";
import { CHAT, type ChatSettings } from "../settings/chat-settings.ts";
import { MCP, type McpSettings } from "../settings/mcp-servers.ts";
import {
  NODE_SECTION,
  NODES_IN_FILES,
  type NodesInFiles,
  type NodeSettings,
} from "../settings/node-settings.ts";
import { NOTIFY, type NotifySettings } from "../settings/notify-settings.ts";
import { ROOTS, SANDBOX_SETTINGS } from "../settings/sandbox-schema.ts";
import { BUILT_IN_BACKENDS, type SandboxSettings } from "../settings/sandbox-settings.ts";
import { SERVE, type ServeSettings } from "../settings/serve-settings.ts";
import { NETWORK, type NetworkSettings } from "./network-settings.ts";
import type { PluginEntry } from "./plugin-references.ts";
import { NATS_SETTINGS, type NatsSettings } from "./records/nats-settings.ts";
import { RECORD_SETTINGS, type RecordSettings } from "./records/record-settings.ts";
import { TELEMETRY, type TelemetrySettings } from "./records/telemetry-settings.ts";

/**
 * Describes a policy in a file. The name of a file can replace the rules of an agent or of a kind of session.
 *
 * @example
 * ```ts
 * import type { PolicyInFiles } from "@haft/config";
 * const policy: PolicyInFiles = { deny: ["effect:network"], agents: { reviewer: "policies/reviewer.yaml" } };
 * ```
 */
export interface PolicyInFiles extends Omit<PolicyConfig, "agents" | "sessions"> {
  /** Maps the id of an agent to rules, or to a file with rules. */
  agents?: Readonly<Record<string, SessionRules | string>>;
  /** Maps the kind of session to rules, or to a file with rules. */
  sessions?: Partial<Record<SessionKind, SessionRules | string>>;
}

/**
 * Describes a configuration file. Every key is optional. Paths start at the folder of the file, or with `~/`.
 *
 * @example
 * ```ts
 * import type { HaftConfig } from "@haft/config";
 * const config: HaftConfig = {
 *   policy: { ask: ["write"], exec: { preset: "careful", allow: ["git status*", "npm test"] } },
 *   roots: { notes: { path: "~/notes", access: "ro" } },
 *   sandbox: { network: "none", limits: { memoryMb: 2048 } },
 * };
 * ```
 */
export interface HaftConfig extends Omit<RecordSettings, "store"> {
  /** Names the schema, for editors. Haft ignores it. */
  $schema?: string;
  /** Sets rules, or names a policy file. */
  policy?: PolicyInFiles | string;
  /** Adds roots for sessions on the host: `name:path`. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** Configures sandboxes; `false` disables them. */
  sandbox?: SandboxSettings | false;
  /** Sets what `context.fetch` reaches in addition to the internet. */
  network?: NetworkSettings;
  /** Describes the model of sessions that name none. */
  model?: Partial<ModelFacts>;
  /** Adds plugins: packages that are installed next to this file, other files, and values in code. */
  plugins?: readonly (string | PluginEntry | Plugin)[];
  /** Sets where sessions are recorded: `sqlite` in the state folder, or `nats` on the server under the key `nats`. Default `sqlite`. */
  store?: "sqlite" | "nats";
  /** Configures the NATS server, on which hosts and nodes also meet. */
  nats?: NatsSettings;
  /** Configures calls that wait for approval. */
  approvals?: {
    /** Sends a notice of each waiting call. */
    notify?: NotifySettings;
    /** Makes `haft guard` wait for an answer even without a terminal. Default false. */
    withoutTerminal?: boolean;
  };
  /** Configures OpenTelemetry, which needs the package `@haft/otel`. */
  telemetry?: TelemetrySettings;
  /** Sets defaults of `haft chat`. */
  chat?: ChatSettings;
  /** Configures other machines for commands. */
  nodes?: NodesInFiles;
  /** Configures MCP servers. An operator must accept their tools. */
  mcp?: McpSettings;
  /** Sets what this machine offers to remote hosts while `haft nodes start` runs. */
  node?: NodeSettings;
  /** Configures `haft serve`, which serves sessions over MCP. */
  serve?: ServeSettings;
}

/**
 * Returns its argument with the type of a configuration.
 *
 * @example
 * ```ts
 * // haft.config.ts
 * import { defineConfig } from "@haft/config";
 * export default defineConfig({
 *   plugins: ["haft-plugin-weather"],
 *   policy: { deny: ["effect:network"] },
 * });
 * ```
 */
export function defineConfig(config: HaftConfig): HaftConfig {
  return config;
}

const { properties } = SANDBOX_SETTINGS as { properties: Record<keyof SandboxSettings, OptionSchema> };

/** Only code can pass a custom backend object. */
export const SANDBOX_IN_FILES: OptionSchema = {
  ...SANDBOX_SETTINGS,
  properties: {
    ...properties,
    backend: {
      enum: ["auto", ...BUILT_IN_BACKENDS, "node"],
      description: properties.backend.description!,
    },
  },
};

/** `policy` and `sandbox` have their own schemas. */
export const CONFIG_FILE: OptionSchema = optionsSchema<HaftConfig>({
  $schema: { type: "string", description: "Where this schema is; for editors." },
  policy: { description: "Rules that narrow and grant, or the policy file with the rules." },
  roots: { ...ROOTS, description: "More folders of sessions on the host, addressed as name:path." },
  sandbox: { description: "The sandboxes of sandboxed sessions; false disables them." },
  network: NETWORK,
  model: {
    ...optionsSchema<ModelFacts>({
      name: { type: "string", description: "As provider/model." },
      contextTokens: {
        type: "integer",
        minimum: 1,
        description: "Tokens of its context. Default 128,000; page sizes follow it.",
      },
      images: { type: "boolean", description: "Whether it sees images. Default true." },
    }),
    description: "The model of sessions that name none.",
  },
  plugins: {
    type: "array",
    description: "Plugins in addition to the built-in plugins; the first plugin with a name keeps it.",
  },
  ...RECORD_SETTINGS,
  store: {
    enum: ["sqlite", "nats"],
    description: "Where sessions are stored: sqlite (the default), or nats, for several hosts.",
  },
  nats: NATS_SETTINGS,
  approvals: {
    ...optionsSchema<NonNullable<HaftConfig["approvals"]>>({
      notify: NOTIFY,
      withoutTerminal: {
        type: "boolean",
        description:
          "Whether programs without a terminal may answer questions of agents that haft guard decides about, while these run. Default false.",
      },
    }),
    description: "Calls that wait for approval: who gets notices of them.",
  },
  mcp: MCP,
  telemetry: TELEMETRY,
  chat: CHAT,
  nodes: NODES_IN_FILES,
  node: NODE_SECTION,
  serve: SERVE,
});
