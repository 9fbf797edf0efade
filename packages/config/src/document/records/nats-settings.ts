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
 * Configures the NATS server on which several hosts record sessions. In a configuration, hosts and nodes also meet on it.
 *
 * @example
 * ```ts
 * import type { NatsSettings } from "@haft/config";
 * const nats: NatsSettings = { servers: "tls://nats.example.com", replicas: 3, sealKeyFile: "/etc/agent/seal.key" };
 * ```
 */
export interface NatsSettings extends NatsServerSettings {
  /** Sets the prefix of all names and subjects. Hosts and nodes with the same prefix share them. Default `haft`. */
  prefix?: string;
  /** Sets the number of servers that store each record. Default 1. */
  replicas?: number;
  /**
   * Names a file with at least 32 bytes that only these hosts have. It seals answers and grants, so that other writers cannot allow
   * anything. Without it, the bucket of approvals is trusted.
   */
  sealKeyFile?: string;
}

export const NATS_SETTINGS: OptionSchema = {
  ...optionsSchema<NatsSettings>(
    {
      ...NATS_SERVER,
      prefix: textSetting("Prefix of all names and subjects there. Default haft."),
      replicas: {
        type: "integer",
        minimum: 1,
        description: "In a cluster: how many servers keep each record. Default 1.",
      },
      sealKeyFile: textSetting(
        "A file with 32 bytes or more that only the hosts have: other writers there cannot allow anything.",
      ),
    },
    ["servers"],
  ),
  description: "The NATS server that several hosts keep their sessions on (store: nats), and meet nodes on.",
};

/** Returns files with credentials and keys. */
export function listNatsKeyFiles(settings: NatsSettings): string[] {
  const { sealKeyFile } = settings;
  return [...listServerKeyFiles(settings), ...(sealKeyFile === undefined ? [] : [sealKeyFile])];
}

/** Returns the `store` option of a host. */
export function toStoreSetting({
  store,
  nats,
}: {
  store?: "sqlite" | "nats";
  nats?: NatsSettings;
}): "sqlite" | { nats: NatsSettings } | undefined {
  return store === "nats" ? nats && { nats } : store;
}

/** Returns the server for hosts and nodes: the given address, else the server of the configuration. */
export function resolveBroker(
  address: string | undefined,
  nats: NatsSettings | undefined,
): string | NodesServer | undefined {
  if (address !== undefined || nats === undefined) return address;
  const { replicas: _replicas, sealKeyFile: _sealKeyFile, ...server } = nats;
  return server;
}

/** Earlier checks guarantee a server in one of the two settings. */
export function toNodesSettings(nodes: NodesInFiles, nats: NatsSettings | undefined): NodesSettings {
  return { ...nodes, server: resolveBroker(nodes.server, nats)! };
}

/** @param folder the folder of the configuration */
export function resolveNatsPaths(settings: NatsSettings, folder: string): NatsSettings {
  return { ...resolveServerPaths(settings, folder), ...resolveFilePaths(settings, ["sealKeyFile"], folder) };
}
