import type { SessionKind } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { DEFAULT_ADDRESS, DEFAULT_PORT } from "../defaults.ts";
import { resolvePath } from "./resolve-path.ts";

/**
 * Locates a token. Others can read configurations and command lines, so these must not contain it.
 *
 * @example
 * ```ts
 * import type { SecretSource } from "@haft/config";
 * const token: SecretSource = { file: "~/.config/agent/ci.token" };
 * ```
 */
export interface SecretSource {
  /** Names a file with only the token, readable only by its owner. Haft notices changes. */
  file?: string;
  /** Names a variable with the token, instead of a file. */
  env?: string;
}

/**
 * Configures the sessions of one token. A client cannot widen them.
 *
 * @example
 * ```ts
 * import type { ServedToken } from "@haft/config";
 * const ci: ServedToken = {
 *   token: { file: "~/.config/agent/ci.token" },
 *   kind: "sandboxed",
 *   workspace: "/srv/project",
 *   approvals: "operator",
 * };
 * ```
 */
export interface ServedToken {
  /** Locates the token. */
  token: SecretSource;
  /** Sets the kind of its sessions. Default `main`. */
  kind?: SessionKind;
  /** Names the folder. Default: the folder of the command. */
  workspace?: string;
  /** Names a policy file that replaces the rules of the configuration. Default: none. */
  policy?: string;
  /** Sets the id of their agent, for rules. Default `main`. */
  agent?: string;
  /**
   * Sets the sender of the messages, for rules: `id:…`, `phone:…`, `username:…`, `name:…` or `system`. Default: the sender of the command.
   */
  sender?: string;
  /** Sets who decides about approvals. Default: `client` for sessions of the kind `main`, else `operator`. */
  approvals?: "client" | "operator";
}

/**
 * Configures `haft serve`, which serves sessions over MCP.
 *
 * @example
 * ```ts
 * import type { ServeSettings } from "@haft/config";
 * const serve: ServeSettings = {
 *   port: 8080,
 *   tokens: { ci: { token: { env: "CI_TOKEN" }, kind: "sandboxed", workspace: "/srv/project" } },
 * };
 * ```
 */
export interface ServeSettings {
  /** Sets the address for `--http`. Default `127.0.0.1`. */
  address?: string;
  /** Sets the port for `--http`. Default 7310. */
  port?: number;
  /** Adds host names for clients. Default: none. */
  hosts?: readonly string[];
  /** Lists by name who may open sessions with `--http`. Default: one token, in the state folder. */
  tokens?: Readonly<Record<string, ServedToken>>;
  /** Sets who decides about approvals, without `tokens` and on standard input. */
  approvals?: "client" | "operator";
  /** Names tools with structured results: they have an output schema, and their `details` contain everything in their text. */
  structured?: readonly string[];
  /** Limits each token. */
  limits?: {
    /** Limits open sessions. Default 64. */
    sessions?: number;
    /** Sets the minutes without use after which a session is closed. Default 240. */
    idleMinutes?: number;
    /** Limits one request, in bytes. Default 4 MiB. */
    bodyBytes?: number;
  };
}

const SENDER_TEXT = /^(?:system|(?:id|phone|username|name):.+)$/;
const TEXT: OptionSchema = { type: "string", minLength: 1 };
const TEXTS: OptionSchema = { type: "array", items: TEXT };
const KINDS: readonly SessionKind[] = ["main", "group", "sandboxed"];
const WHOLE: OptionSchema = { type: "integer", minimum: 1 };
const APPROVALS: OptionSchema = {
  enum: ["client", "operator"],
  description:
    "Who decides about calls that need approval. Default: client for main sessions, else operator.",
};

export const SERVE: OptionSchema = {
  ...optionsSchema<ServeSettings>({
    address: { ...TEXT, description: `Where it listens with --http. Default ${DEFAULT_ADDRESS}.` },
    port: { type: "integer", minimum: 0, maximum: 65_535, description: `Default ${DEFAULT_PORT}.` },
    hosts: { ...TEXTS, description: "Further names by which clients reach it." },
    tokens: {
      "haft:kind": "object",
      additionalProperties: optionsSchema<ServedToken>(
        {
          token: {
            ...optionsSchema<SecretSource>({
              file: { ...TEXT, description: "A file with the token, readable only by this user." },
              env: { ...TEXT, description: "A variable of the environment that has it." },
            }),
            description: "Where the token is: { file } or { env }.",
          },
          kind: { enum: KINDS, description: "What its sessions are. Default main." },
          workspace: { ...TEXT, description: "The folder they work in. Default: that of the command." },
          policy: { ...TEXT, description: "A policy file instead of the rules of the configuration." },
          agent: { ...TEXT, description: "The agent they belong to. Default main." },
          sender: {
            type: "string",
            pattern: SENDER_TEXT.source,
            description: "Whose messages they answer: id:…, phone:…, username:…, name:… or system.",
          },
          approvals: APPROVALS,
        },
        ["token"],
      ),
      description: "Who may open sessions with --http, by name. Default: one token, in the state folder.",
    },
    approvals: APPROVALS,
    structured: { ...TEXTS, description: "Tools whose results are structured, too." },
    limits: {
      ...optionsSchema<NonNullable<ServeSettings["limits"]>>({
        sessions: { ...WHOLE, description: "Of one token that may be open. Default 64." },
        idleMinutes: { ...WHOLE, description: "Minutes without use until a session is closed. Default 240." },
        bodyBytes: { ...WHOLE, description: "Of one request. Default 4 MiB." },
      }),
      description: "How much is served at once.",
    },
  }),
  description: "How sessions are served over MCP, while haft serve runs.",
};

/** @param folder the folder of the configuration */
export function resolveServePaths(settings: ServeSettings, folder: string): ServeSettings {
  const { tokens } = settings;
  if (tokens === undefined) return settings;
  const placed = Object.entries(tokens).map(([name, { token, workspace, policy, ...rest }]) => [
    name,
    {
      ...rest,
      token: token.file === undefined ? token : { ...token, file: resolvePath(token.file, folder) },
      ...(workspace === undefined ? {} : { workspace: resolvePath(workspace, folder) }),
      ...(policy === undefined ? {} : { policy: resolvePath(policy, folder) }),
    },
  ]);
  return { ...settings, tokens: Object.fromEntries(placed) as typeof tokens };
}
