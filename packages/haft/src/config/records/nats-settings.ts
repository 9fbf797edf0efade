import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import {
  NATS_SERVER,
  type NatsServerSettings,
  placedFiles,
  placedServer,
  serverKeyFiles,
  text,
} from "../../settings/nats-server.ts";

/** The NATS server on which several hosts keep their sessions, and how it lets them in. */
export interface NatsSettings extends NatsServerSettings {
  /** Begins the names of all that is kept there: hosts with the same share it. `haft` by default. */
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
      prefix: text("Begins the names of all that is kept there. Default haft."),
      replicas: {
        type: "integer",
        minimum: 1,
        description: "In a cluster: how many servers keep each record. Default 1.",
      },
      sealKeyFile: text(
        "A file with 32 bytes or more that only the hosts have: who else may write there can allow nothing.",
      ),
    },
    ["servers"],
  ),
  description: "A NATS server with JetStream, for several hosts.",
};

/** The files by which a host is let in, or that only hosts are to have. */
export function keyFilesOf(settings: NatsSettings): string[] {
  const { sealKeyFile } = settings;
  return [...serverKeyFiles(settings), ...(sealKeyFile === undefined ? [] : [sealKeyFile])];
}

/** With whole paths. @param folder where the file lies that says them */
export function placedNats(settings: NatsSettings, folder: string): NatsSettings {
  return { ...placedServer(settings, folder), ...placedFiles(settings, ["sealKeyFile"], folder) };
}
