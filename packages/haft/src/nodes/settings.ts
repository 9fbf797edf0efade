import type { SessionKind } from "@haft/core";
import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { join, resolve } from "node:path";
import {
  NATS_SERVER,
  type NatsServerSettings,
  placedServer,
  serverKeyFiles,
} from "../settings/nats-server.ts";
import { placedAt } from "../settings/placed-at.ts";

/** The NATS server that hosts and nodes meet on. Where it says nothing else, the server is shown the identity of this host or node. */
export interface NodesServer extends NatsServerSettings {
  /** Begins all subjects: hosts and nodes that shall meet have the same. `haft` by default. */
  prefix?: string;
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

/** A folder of this machine that sessions of hosts may work in. */
export interface NodeWorkspaceSettings {
  /** Begins at the folder of the configuration, or with `~/`. */
  folder: string;
  /** Whether they may change files in it. Default `ro`. */
  access?: "ro" | "rw";
  /** What their commands reach. Default `none`. */
  network?: "none" | "full";
  /** For whoever approves it. Default: the name of the folder. */
  description?: string;
}

/** What this machine offers to hosts elsewhere, while `haft nodes start` runs. */
export interface NodeSettings {
  /** Where hosts meet it. */
  server?: string | NodesServer;
  /** As people see it. Default: the name of this machine. */
  name?: string;
  /** Tools that hosts may call here, by their names: `read`, or one of a plugin. None by default. */
  offer?: readonly string[];
  /** Folders that sessions of hosts may have for their workspace, each in a sandbox of this machine. By name. None by default. */
  workspaces?: Readonly<Record<string, NodeWorkspaceSettings>>;
  /** What the session is that each host gets here. Default `group`. */
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

/** What a node offers, with whole paths. @param folder where the file lies that says them */
export function placedNode(settings: NodeSettings, folder: string): NodeSettings {
  const { workspaces } = settings;
  const placed = placedNodes(settings, folder);
  if (workspaces === undefined) return placed;
  const entries = Object.entries(workspaces).map(([name, one]) => [
    name,
    { ...one, folder: placedAt(one.folder, folder) },
  ]);
  return { ...placed, workspaces: Object.fromEntries(entries) as typeof workspaces };
}

/** The same with whole paths of its server. @param folder where the file lies that says them */
export function placedNodes<T extends { server?: string | NodesServer }>(settings: T, folder: string): T {
  const { server } = settings;
  return typeof server === "object" ? { ...settings, server: placedServer(server, folder) } : settings;
}

/** The files by which the server lets this host in. */
export function nodesKeyFiles({ server }: { server?: string | NodesServer }): string[] {
  return typeof server === "object" ? serverKeyFiles(server) : [];
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
