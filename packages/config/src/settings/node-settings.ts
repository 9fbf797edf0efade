import type { SessionKind } from "@haft/core";
import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import { join, resolve } from "node:path";
import { NATS_SERVER, type NatsServerSettings, listServerKeyFiles } from "./nats-server.ts";
import { resolvePath } from "./resolve-path.ts";

/**
 * Configures the NATS server on which hosts and nodes meet. Without credentials, this host or node uses its identity there.
 *
 * @example
 * ```ts
 * import type { NodesServer } from "@haft/config";
 * const server: NodesServer = { servers: "tls://nats.example.com", prefix: "home" };
 * ```
 */
export interface NodesServer extends NatsServerSettings {
  /** Sets the prefix of all subjects, the same for hosts and nodes that meet. Default `haft`. */
  prefix?: string;
}

/**
 * Configures other machines whose commands `node_invoke` may call. The policy decides which.
 *
 * @example
 * ```ts
 * import type { NodesSettings } from "@haft/config";
 * const nodes: NodesSettings = { server: "tls://nats.example.com", deny: ["kitchen:camera.*"] };
 * ```
 */
export interface NodesSettings {
  /** Sets the server: its URL, or its settings. */
  server: string | NodesServer;
  /** Names this host for people at a node. Default: the name of this machine. */
  name?: string;
  /** Lists commands that no session may call, even after an approval: `camera.*`, or for one node `kitchen:camera.*`. Default: none. */
  deny?: readonly string[];
}

/**
 * Describes {@link NodesSettings} in a configuration.
 *
 * @example
 * ```ts
 * import type { NodesInFiles } from "@haft/config";
 * const nodes: NodesInFiles = { name: "agent host", deny: ["camera.*"] };
 * ```
 */
export interface NodesInFiles extends Omit<NodesSettings, "server"> {
  /** Sets the URL of the server. Default: the server under `nats` in the configuration. */
  server?: string;
}

/**
 * Offers a folder as a workspace for sessions of hosts.
 *
 * @example
 * ```ts
 * import type { NodeWorkspaceSettings } from "@haft/config";
 * const workspace: NodeWorkspaceSettings = { folder: "~/recipes", access: "rw", description: "Recipes of the family" };
 * ```
 */
export interface NodeWorkspaceSettings {
  /** Names the folder. The path starts at the folder of the configuration, or with `~/`. */
  folder: string;
  /** Sets whether sessions may change files. Default `ro`. */
  access?: "ro" | "rw";
  /** Sets the network of their commands. Default `none`. */
  network?: "none" | "full";
  /** Describes it for people. Default: the name of the folder. */
  description?: string;
}

/**
 * Configures the offer of this machine while `haft nodes start` runs.
 *
 * @example
 * ```ts
 * import type { NodeSettings } from "@haft/config";
 * const node: NodeSettings = {
 *   name: "kitchen",
 *   offer: ["read", "camera_take"],
 *   workspaces: { recipes: { folder: "~/recipes", access: "rw" } },
 * };
 * ```
 */
export interface NodeSettings {
  /** Sets the URL of the server. Default: the server under `nats` in the configuration. */
  server?: string;
  /** Sets its name for people. Default: the name of this machine. */
  name?: string;
  /** Names tools that hosts may call: `read`, or a tool of a plugin. Default: none. */
  offer?: readonly string[];
  /** Names folders that sessions of hosts may use, each in a sandbox. Default: none. */
  workspaces?: Readonly<Record<string, NodeWorkspaceSettings>>;
  /** Sets the kind of session for each host. Default `group`. */
  kind?: SessionKind;
}

const NODES_SERVER: OptionSchema = optionsSchema<NodesServer>(
  {
    ...NATS_SERVER,
    prefix: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]{1,32}$",
      description: "Begins all subjects: hosts and nodes that shall meet have the same. Default haft.",
    },
  },
  ["servers"],
);

const TEXT: OptionSchema = { type: "string", minLength: 1 };
const ADDRESS: OptionSchema = {
  ...TEXT,
  description: "The NATS server that hosts and nodes meet on: nats://…. Default: the one under nats.",
};
const NAME: OptionSchema = {
  type: "string",
  minLength: 1,
  maxLength: 64,
  description: "As people see it. Default: the name of this machine.",
};
const WORD: OptionSchema = { type: "string", minLength: 1, maxLength: 64 };

const OF_NODES: OptionSchemas<Omit<NodesSettings, "server">> = {
  name: { ...NAME, description: "As people at nodes see this host. Default: the name of this machine." },
  deny: {
    type: "array",
    items: WORD,
    description: "Commands that no session may call, even if approved: camera.*, or kitchen:camera.*.",
  },
};

/** The server has a separate schema. */
export const NODES: OptionSchema = optionsSchema<NodesSettings>(
  { server: { description: "The NATS server that hosts and nodes meet on." }, ...OF_NODES },
  ["server"],
);

export const NODES_IN_FILES: OptionSchema = {
  ...optionsSchema<NodesInFiles>({ server: ADDRESS, ...OF_NODES }),
  description: "Other machines whose commands sessions may call, as node_invoke.",
};

export const NODE_SECTION: OptionSchema = {
  ...optionsSchema<NodeSettings>(
    {
      server: ADDRESS,
      name: NAME,
      offer: {
        type: "array",
        items: WORD,
        description: "Tools that hosts elsewhere may call here, by their names.",
      },
      workspaces: {
        "haft:kind": "object",
        additionalProperties: optionsSchema<NodeWorkspaceSettings>(
          {
            folder: { ...TEXT, description: "The folder." },
            access: { enum: ["ro", "rw"], description: "Whether they may change files in it. Default ro." },
            network: { enum: ["none", "full"], description: "The network of their commands. Default none." },
            description: { ...TEXT, description: "For the person who approves it." },
          },
          ["folder"],
        ),
        description:
          "Folders that sessions of hosts may have for their workspace, by name, each in a sandbox here.",
      },
      kind: {
        enum: ["main", "group", "sandboxed"] satisfies SessionKind[],
        description: "What the session is that each host gets here. Default group.",
      },
    },
    [],
  ),
  description: "What this machine offers to hosts elsewhere, while haft nodes start runs.",
};

/** Distinguishes URL and settings. */
export function getServerSchema(server: unknown): OptionSchema {
  return typeof server === "object" && server !== null ? NODES_SERVER : TEXT;
}

/** @param folder the folder of the configuration */
export function resolveNodePaths(settings: NodeSettings, folder: string): NodeSettings {
  const { workspaces } = settings;
  if (workspaces === undefined) return settings;
  const entries = Object.entries(workspaces).map(([name, one]) => [
    name,
    { ...one, folder: resolvePath(one.folder, folder) },
  ]);
  return { ...settings, workspaces: Object.fromEntries(entries) as typeof workspaces };
}

/** Returns files with credentials. */
export function listNodesKeyFiles({ server }: { server?: string | NodesServer }): string[] {
  return typeof server === "object" ? listServerKeyFiles(server) : [];
}

/** Names private folders for nodes in the state folder. */
export interface NodeFolders {
  host: string;
  pairings: string;
  node: string;
  hosts: string;
}

export function nodeFolders(stateDir: string): NodeFolders {
  const [host, node] = [join(resolve(stateDir), "nodes"), join(resolve(stateDir), "node")];
  return { host, pairings: join(host, "paired"), node, hosts: join(node, "hosts") };
}
