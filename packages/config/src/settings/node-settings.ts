import type { SessionKind } from "@haft/core";
import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import { join, resolve } from "node:path";
import { NATS_SERVER, type NatsServerSettings, listServerKeyFiles } from "./nats-server.ts";
import { resolvePath } from "./resolve-path.ts";

/**
 * The NATS server on which hosts and nodes meet. Without other credentials, this host or node uses its identity there.
 *
 * @example
 * ```ts
 * import type { NodesServer } from "@haft/config";
 * const server: NodesServer = { servers: "tls://nats.example.com", prefix: "home" };
 * ```
 */
export interface NodesServer extends NatsServerSettings {
  /** Prefix of all subjects. Hosts and nodes that are to meet have the same. Default `haft`. */
  prefix?: string;
}

/**
 * Other machines whose commands sessions may call with `node_invoke`. The policy decides which of them.
 *
 * @example
 * ```ts
 * import type { NodesSettings } from "@haft/config";
 * const nodes: NodesSettings = { server: "tls://nats.example.com", deny: ["kitchen:camera.*"] };
 * ```
 */
export interface NodesSettings {
  /** The server on which they meet: its URL, or its settings. */
  server: string | NodesServer;
  /** The name of this host that people at nodes see when they pair it. Default: the name of this machine. */
  name?: string;
  /**
   * Commands that no session calls, even if a person has approved them: `camera.*`, or for one node `kitchen:camera.*`. Default: none.
   */
  deny?: readonly string[];
}

/**
 * {@link NodesSettings} in a configuration.
 *
 * @example
 * ```ts
 * import type { NodesInFiles } from "@haft/config";
 * const nodes: NodesInFiles = { name: "agent host", deny: ["camera.*"] };
 * ```
 */
export interface NodesInFiles extends Omit<NodesSettings, "server"> {
  /** The URL of the server on which they meet. Default: the server under `nats` in the configuration. */
  server?: string;
}

/**
 * A folder of this machine in which sessions of hosts may work.
 *
 * @example
 * ```ts
 * import type { NodeWorkspaceSettings } from "@haft/config";
 * const workspace: NodeWorkspaceSettings = { folder: "~/recipes", access: "rw", description: "Recipes of the family" };
 * ```
 */
export interface NodeWorkspaceSettings {
  /** Path of the folder. It starts at the folder of the configuration, or with `~/`. */
  folder: string;
  /** Whether sessions may change files in it. Default `ro`. */
  access?: "ro" | "rw";
  /** What their commands reach. Default `none`. */
  network?: "none" | "full";
  /** A description for the person who approves it. Default: the name of the folder. */
  description?: string;
}

/**
 * What this machine offers to hosts elsewhere, while `haft nodes start` runs.
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
  /** The URL of the server on which hosts meet it. Default: the server under `nats` in the configuration. */
  server?: string;
  /** Its name for people. Default: the name of this machine. */
  name?: string;
  /** Names of tools that hosts may call here: `read`, or one of a plugin. Default: none. */
  offer?: readonly string[];
  /** Folders that sessions of hosts may use as their workspace, by name, each in a sandbox of this machine. Default: none. */
  workspaces?: Readonly<Record<string, NodeWorkspaceSettings>>;
  /** The kind of session that each host gets here. Default `group`. */
  kind?: SessionKind;
}

/** More about a server than its address. */
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
    description: "Commands that nobody calls, whatever was approved: camera.*, or kitchen:camera.*.",
  },
};

/** Of what a host is given; its server is checked by a schema of its own. */
export const NODES: OptionSchema = optionsSchema<NodesSettings>(
  { server: { description: "The NATS server that hosts and nodes meet on." }, ...OF_NODES },
  ["server"],
);

/** Of what stands under `nodes`. */
export const NODES_IN_FILES: OptionSchema = {
  ...optionsSchema<NodesInFiles>({ server: ADDRESS, ...OF_NODES }),
  description: "Other machines whose commands sessions may call, as node_invoke.",
};

/** Of what stands under `node`. */
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
            network: { enum: ["none", "full"], description: "What their commands reach. Default none." },
            description: { ...TEXT, description: "For whoever approves it." },
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

/** What a server of nodes may be that is given as this: an address, or more about it. */
export function getServerSchema(server: unknown): OptionSchema {
  return typeof server === "object" && server !== null ? NODES_SERVER : TEXT;
}

/** What a node offers, with whole paths. @param folder where the file lies that says them */
export function resolveNodePaths(settings: NodeSettings, folder: string): NodeSettings {
  const { workspaces } = settings;
  if (workspaces === undefined) return settings;
  const entries = Object.entries(workspaces).map(([name, one]) => [
    name,
    { ...one, folder: resolvePath(one.folder, folder) },
  ]);
  return { ...settings, workspaces: Object.fromEntries(entries) as typeof workspaces };
}

/** The files by which the server lets this host in. */
export function listNodesKeyFiles({ server }: { server?: string | NodesServer }): string[] {
  return typeof server === "object" ? listServerKeyFiles(server) : [];
}

/** Where in the state folder is what concerns other machines. Each folder is its owner's alone, and no session gets at it. */
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
