import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import {
  NATS_SERVER,
  type NatsServerSettings,
  resolveFilePaths,
  resolveServerPaths,
  listServerKeyFiles,
  textSetting,
} from "../../settings/nats-server.ts";
import type { NodesInFiles, NodesServer, NodesSettings } from "../../settings/node-settings.ts";

/**
 * The NATS server on which several hosts record their sessions. In a configuration, hosts and nodes meet on it as well.
 *
 * @example
 * ```ts
 * import type { NatsSettings } from "@haft/config";
 * const nats: NatsSettings = { servers: "tls://nats.example.com", replicas: 3, sealKeyFile: "/etc/agent/seal.key" };
 * ```
 */
export interface NatsSettings extends NatsServerSettings {
  /** Prefix of all names and subjects on the server: hosts and nodes with the same prefix share them. Default `haft`. */
  prefix?: string;
  /** In a cluster, the number of servers that store each record. Default 1. */
  replicas?: number;
  /**
   * A file with at least 32 bytes that only these hosts have. It seals answers and grants, so that nobody else who can write to the bucket
   * of approvals can allow anything. Without it, what stands in the bucket is trusted.
   */
  sealKeyFile?: string;
}

/** What {@link NatsSettings} may be. */
export const NATS_SETTINGS: OptionSchema = {
  ...optionsSchema<NatsSettings>(
    {
      ...NATS_SERVER,
      prefix: textSetting("Begins the names of all that is kept there, and all subjects. Default haft."),
      replicas: {
        type: "integer",
        minimum: 1,
        description: "In a cluster: how many servers keep each record. Default 1.",
      },
      sealKeyFile: textSetting(
        "A file with 32 bytes or more that only the hosts have: who else may write there can allow nothing.",
      ),
    },
    ["servers"],
  ),
  description: "The NATS server that several hosts keep their sessions on (store: nats), and meet nodes on.",
};

/** The files by which a host is let in, or that only hosts are to have. */
export function listNatsKeyFiles(settings: NatsSettings): string[] {
  const { sealKeyFile } = settings;
  return [...listServerKeyFiles(settings), ...(sealKeyFile === undefined ? [] : [sealKeyFile])];
}

/** Where the configuration that says this keeps sessions, as a host is given it. */
export function toStoreSetting({
  store,
  nats,
}: {
  store?: "sqlite" | "nats";
  nats?: NatsSettings;
}): "sqlite" | { nats: NatsSettings } | undefined {
  return store === "nats" ? nats && { nats } : store;
}

/** Where hosts and nodes meet: at the address that stands there, else on the server of the configuration. */
export function resolveBroker(
  address: string | undefined,
  nats: NatsSettings | undefined,
): string | NodesServer | undefined {
  if (address !== undefined || nats === undefined) return address;
  const { replicas: _replicas, sealKeyFile: _sealKeyFile, ...server } = nats;
  return server;
}

/** The nodes that a configuration speaks of, as a host is given them; it was checked that one of both says where they are met. */
export function toNodesSettings(nodes: NodesInFiles, nats: NatsSettings | undefined): NodesSettings {
  return { ...nodes, server: resolveBroker(nodes.server, nats)! };
}

/** With whole paths. @param folder where the file lies that says them */
export function resolveNatsPaths(settings: NatsSettings, folder: string): NatsSettings {
  return { ...resolveServerPaths(settings, folder), ...resolveFilePaths(settings, ["sealKeyFile"], folder) };
}
