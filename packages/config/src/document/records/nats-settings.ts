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

/** The NATS server on which several hosts keep their sessions, and how it lets them in. In a configuration nodes are met there, too. */
export interface NatsSettings extends NatsServerSettings {
  /** Begins the names of all that is kept there, and all subjects: hosts and nodes with the same share it. `haft` by default. */
  prefix?: string;
  /** In a cluster: how many servers keep each record; 1 by default. */
  replicas?: number;
  /**
   * A file with 32 bytes or more that only these hosts have: answers and grants are sealed with it, so whoever else may write to
   * the bucket of approvals can allow nothing. Absent: they are believed.
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
