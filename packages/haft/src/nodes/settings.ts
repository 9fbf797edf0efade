import type { SessionKind } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import type { FromEnvironment } from "../approvals/notify/settings.ts";

/** How this machine comes to the NATS server that hosts and nodes meet on. Paths begin at the folder of the configuration, or with `~/`. */
export interface NodesServer {
  /** Addresses, `nats://` or `tls://`. */
  servers: string | readonly string[];
  /** Begins all subjects: hosts and nodes that shall meet have the same. `haft` by default. */
  prefix?: string;
  /** A file of credentials (`.creds`). Without any of these the server is shown the identity of this host or node. */
  credentialsFile?: string;
  /** A name, with a password. */
  user?: string;
  /** Of that user. */
  password?: string | FromEnvironment;
  /** Instead of a user. */
  token?: string | FromEnvironment;
  /** Files of certificates, where the system's are not enough. */
  tls?: { caFile?: string; certFile?: string; keyFile?: string };
}

/** Other machines whose commands sessions may call, as `node_invoke`. Which of them, policy says. */
export interface NodesSettings {
  /** Where they are met: an address, or more about it. */
  server: string | NodesServer;
  /** As the people at nodes see this host when they pair it. Default: the name of this machine. */
  name?: string;
  /** Commands that nobody calls, whatever was approved: `camera.*`, or of one node `kitchen:camera.*`. */
  deny?: readonly string[];
}

/** What this machine offers to hosts elsewhere, while `haft node start` runs. */
export interface NodeSettings {
  /** Where hosts meet it. */
  server?: string | NodesServer;
  /** As people see it. Default: the name of this machine. */
  name?: string;
  /** Tools that hosts may call here, by their names: `read`, or one of a plugin. */
  offer: readonly string[];
  /** What the session is that each host gets here. Default `group`. */
  kind?: SessionKind;
}

const TEXT: OptionSchema = { type: "string", minLength: 1 };
const HIDDEN: OptionSchema = {
  anyOf: [
    TEXT,
    optionsSchema<FromEnvironment>({ env: { ...TEXT, description: "Name of the variable." } }, ["env"]),
  ],
};

/** More about a server than its address. */
const NODES_SERVER: OptionSchema = optionsSchema<NodesServer>(
  {
    servers: {
      anyOf: [TEXT, { type: "array", items: TEXT, minItems: 1 }],
      description: "Addresses of the NATS server: nats:// or tls://.",
    },
    prefix: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]{1,32}$",
      description: "Begins all subjects: hosts and nodes that shall meet have the same. Default haft.",
    },
    credentialsFile: { ...TEXT, description: "A file of credentials (.creds)." },
    user: { ...TEXT, description: "A name, with a password." },
    password: { ...HIDDEN, description: "Of that user, or { env: NAME } of the variable that has it." },
    token: { ...HIDDEN, description: "Instead of a user, or { env: NAME } of the variable that has it." },
    tls: {
      ...optionsSchema<NonNullable<NodesServer["tls"]>>({
        caFile: { ...TEXT, description: "Authorities that the server is checked by." },
        certFile: { ...TEXT, description: "The certificate of this machine." },
        keyFile: { ...TEXT, description: "Its key." },
      }),
      description: "Files of certificates, where the system's are not enough.",
    },
  },
  ["servers"],
);

const SERVER = "The NATS server that hosts and nodes meet on: nats://…, or more about it.";
const NAME: OptionSchema = {
  type: "string",
  minLength: 1,
  maxLength: 64,
  description: "As people see it. Default: the name of this machine.",
};
const WORD: OptionSchema = { type: "string", minLength: 1, maxLength: 64 };

/** Of what stands under `nodes`; its server is checked by a schema of its own. */
export const NODES: OptionSchema = {
  ...optionsSchema<NodesSettings>(
    {
      server: { description: SERVER },
      name: { ...NAME, description: "As people at nodes see this host. Default: the name of this machine." },
      deny: {
        type: "array",
        items: WORD,
        description: "Commands that nobody calls, whatever was approved: camera.*, or kitchen:camera.*.",
      },
    },
    ["server"],
  ),
  description: "Other machines whose commands sessions may call, as node_invoke.",
};

/** Of what stands under `node`. */
export const NODE: OptionSchema = {
  ...optionsSchema<NodeSettings>(
    {
      server: { description: SERVER },
      name: NAME,
      offer: {
        type: "array",
        items: WORD,
        minItems: 1,
        description: "Tools that hosts elsewhere may call here, by their names.",
      },
      kind: {
        enum: ["main", "group", "sandboxed"] satisfies SessionKind[],
        description: "What the session is that each host gets here. Default group.",
      },
    },
    ["offer"],
  ),
  description: "What this machine offers to hosts elsewhere, while haft node start runs.",
};

/** For editors, which see the server in its place. */
export function withServer(settings: OptionSchema): OptionSchema {
  const { properties } = settings as { properties: Record<string, OptionSchema> };
  return {
    ...settings,
    properties: { ...properties, server: { ...properties["server"], anyOf: [TEXT, NODES_SERVER] } },
  };
}

/** The servers that a configuration speaks of, each with the schema that says what it may be. */
export function serversIn(config: { node?: unknown; nodes?: unknown }): {
  path: readonly string[];
  server: unknown;
  schema: OptionSchema;
}[] {
  return (["node", "nodes"] as const).flatMap((key) => {
    const { server } = (config[key] ?? {}) as { server?: unknown };
    if (server === undefined) return [];
    const schema = typeof server === "object" && server !== null ? NODES_SERVER : TEXT;
    return [{ path: [key, "server"], server, schema }];
  });
}

/** The server with its paths made absolute. @param place of one path */
export function placedServer<T extends { server?: string | NodesServer }>(
  settings: T,
  place: (path: string) => string,
): T {
  const { server } = settings;
  if (server === undefined || typeof server === "string") return settings;
  const { credentialsFile, tls } = server;
  const files = Object.fromEntries(Object.entries(tls ?? {}).map(([name, path]) => [name, place(path)]));
  return {
    ...settings,
    server: {
      ...server,
      ...(credentialsFile !== undefined && { credentialsFile: place(credentialsFile) }),
      ...(tls !== undefined && { tls: files }),
    },
  };
}
