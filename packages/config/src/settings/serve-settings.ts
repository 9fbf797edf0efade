import type { SessionKind } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { DEFAULT_ADDRESS, DEFAULT_PORT } from "../defaults.ts";
import { resolvePath } from "./resolve-path.ts";

/** Where a token is: never in a configuration itself, nor on a command line, which others can read. */
export interface SecretSource {
  /** A file that nobody else may read, with the token and nothing else. Read again when it changes. */
  file?: string;
  /** Or a variable of the environment. */
  env?: string;
}

/** What one token opens. Nobody who has it can widen that. */
export interface ServedToken {
  /** Where it is kept. */
  token: SecretSource;
  /** What its sessions are. Default `main`. */
  kind?: SessionKind;
  /** The folder they work in. Default: that of the command. */
  workspace?: string;
  /** Rules instead of those of the configuration: a policy file. */
  policy?: string;
  /** The agent they belong to. Default `main`; rules may be for an agent. */
  agent?: string;
  /** Whose messages they answer, for rules of senders: `id:…`, `phone:…`, `username:…`, `name:…` or `system`. Default: that of the command. */
  sender?: string;
  /** Who decides about calls that need approval. Default: `client` where they are of the kind `main`, else `operator`. */
  approvals?: "client" | "operator";
}

/** How sessions of this machine are served over MCP, while `haft serve` runs. */
export interface ServeSettings {
  /** Where it listens with `--http`. Default `127.0.0.1`. */
  address?: string;
  /** Default 7310. */
  port?: number;
  /** Further names by which clients reach it. */
  hosts?: readonly string[];
  /** Who may open sessions with `--http`, by name. Default: one token, in the state folder. */
  tokens?: Readonly<Record<string, ServedToken>>;
  /** Without tokens, and on standard input: who decides about calls that need approval. */
  approvals?: "client" | "operator";
  /** Tools whose `details` say all that their text says, and that have an output schema: their results are structured, too. */
  structured?: readonly string[];
  /** What keeps one token from taking everything. */
  limits?: {
    /** Sessions of one token that may be open. Default 64. */
    sessions?: number;
    /** Minutes after which a session that nobody uses is closed. Default 240. */
    idleMinutes?: number;
    /** Bytes of one request. Default 4 MiB. */
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

/** Of what stands under `serve`. */
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
              file: { ...TEXT, description: "A file that nobody else may read, with the token in it." },
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
        idleMinutes: { ...WHOLE, description: "Until a session that nobody uses is closed. Default 240." },
        bodyBytes: { ...WHOLE, description: "Of one request. Default 4 MiB." },
      }),
      description: "How much is served at once.",
    },
  }),
  description: "How sessions are served over MCP, while haft serve runs.",
};

/** With whole paths. @param folder where the file lies that says them */
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
