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

/** A policy as it stands in files: rules of an agent, or of a kind of session, may be the name of the file they stand in. */
export interface PolicyInFiles extends Omit<PolicyConfig, "agents" | "sessions"> {
  /** By agent id. */
  agents?: Readonly<Record<string, SessionRules | string>>;
  /** By kind of session. */
  sessions?: Partial<Record<SessionKind, SessionRules | string>>;
}

/** What a configuration says. Everything may be left out. Paths in it begin at its folder, or with `~/`. */
export interface HaftConfig extends Omit<RecordSettings, "store"> {
  /** Where editors find the schema. Means nothing to Haft. */
  $schema?: string;
  /** Rules that narrow and grant, or the policy file they stand in. */
  policy?: PolicyInFiles | string;
  /** Further roots of sessions on the host, addressed as `name:path`. */
  roots?: Readonly<Record<string, { path: string; access: "ro" | "rw" }>>;
  /** What sandboxed sessions work in; `false`: there are none. */
  sandbox?: SandboxSettings | false;
  /** What tools of plugins reach by `context.fetch`, beside the internet. */
  network?: NetworkSettings;
  /** The model of sessions that name none. */
  model?: Partial<ModelFacts>;
  /** Plugins beside the built-in ones: packages that are installed beside this file, other files, and in code plugins. */
  plugins?: readonly (string | PluginEntry | Plugin)[];
  /** Where sessions are kept: `sqlite` (the default), in the state folder; or on the server that stands under `nats`, for several hosts. */
  store?: "sqlite" | "nats";
  /** The NATS server that `store: nats` keeps sessions on, and where nodes are met. */
  nats?: NatsSettings;
  /** Calls that wait for approval. */
  approvals?: {
    notify?: NotifySettings;
    /** Questions of agents that `haft guard` decides about are also answered where there is no terminal. Default false. */
    withoutTerminal?: boolean;
  };
  /** OpenTelemetry spans and metrics; needs `@haft/otel`. */
  telemetry?: TelemetrySettings;
  /** What `haft chat` begins with. */
  chat?: ChatSettings;
  /** Other machines whose commands sessions may call. */
  nodes?: NodesInFiles;
  /** MCP servers whose tools sessions have, once an operator has looked at them. */
  mcp?: McpSettings;
  /** What this machine offers to hosts elsewhere, while `haft nodes start` runs. */
  node?: NodeSettings;
  /** How sessions of this machine are served over MCP, while `haft serve` runs. */
  serve?: ServeSettings;
}

/**
 * A configuration with its types, for editors and compilers. Answers what it is given.
 *
 * @example
 * export default defineConfig({ plugins: [weather], policy: { deny: ["effect:network"] } });
 */
export function defineConfig(config: HaftConfig): HaftConfig {
  return config;
}

const { properties } = SANDBOX_SETTINGS as { properties: Record<keyof SandboxSettings, OptionSchema> };

/** What a file can say of sandboxes: a backend of one's own is an object, so files have the built-in ones by name. */
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

/** What a file can say. What stands under `policy` and `sandbox` is checked by their own schemas. */
export const CONFIG_FILE: OptionSchema = optionsSchema<HaftConfig>({
  $schema: { type: "string", description: "Where this schema is; for editors." },
  policy: { description: "Rules that narrow and grant, or the policy file they stand in." },
  roots: { ...ROOTS, description: "More folders of sessions on the host, addressed as name:path." },
  sandbox: { description: "What sandboxed sessions work in; false: there are none." },
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
    description: "Plugins beside the built-in ones, the first to claim a name having it.",
  },
  ...RECORD_SETTINGS,
  store: {
    enum: ["sqlite", "nats"],
    description: "Where sessions are kept: sqlite (the default), or nats, for several hosts.",
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
    description: "Calls that wait for approval: who is told of them.",
  },
  mcp: MCP,
  telemetry: TELEMETRY,
  chat: CHAT,
  nodes: NODES_IN_FILES,
  node: NODE_SECTION,
  serve: SERVE,
});
