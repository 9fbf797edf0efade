import type { SessionKind } from "@haft/core";
import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import { join, resolve } from "node:path";
import { NATS_SERVER, type NatsServerSettings, listServerKeyFiles } from "./nats-server.ts";
import { resolvePath } from "./resolve-path.ts";

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

/** The same as it stands in a configuration. */
export interface NodesInFiles extends Omit<NodesSettings, "server"> {
  /** The address where they are met. Default: the server that stands under `nats`. */
  server?: string;
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
  /** The address where hosts meet it. Default: the server that the configuration has under `nats`. */
  server?: string;
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
