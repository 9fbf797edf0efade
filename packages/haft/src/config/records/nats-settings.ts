import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { placedAt } from "../placed-at.ts";
import { HIDDEN, type FromEnvironment } from "./hidden-text.ts";

/** The NATS server on which several hosts keep their sessions, and how it lets them in. Paths in a file begin at its folder, or with `~/`. */
export interface NatsSettings {
  /** Addresses, `nats://` or `tls://`; those of a cluster are told by its servers. */
  servers: string | readonly string[];
  /** Begins the names of all that is kept there: hosts with the same share it. `haft` by default. */
  prefix?: string;
  /** In a cluster: how many servers keep each record; 1 by default. */
  replicas?: number;
  /** A file of credentials (`.creds`). */
  credentialsFile?: string;
  /** A file with the seed of an nkey. */
  nkeyFile?: string;
  /** A name, with a password. */
  user?: string;
  /** Of that user. */
  password?: string | FromEnvironment;
  /** Instead of a user: what the server wants to hear. */
  token?: string | FromEnvironment;
  /** Files of certificates, where the system's are not enough, or the server wants to see one. */
  tls?: { caFile?: string; certFile?: string; keyFile?: string };
  /**
   * A file with 32 bytes or more that only these hosts have: answers and grants are sealed with it, so whoever else may write to
   * the bucket of approvals can allow nothing. Absent: they are believed.
   */
  sealKeyFile?: string;
}

const TEXT: OptionSchema = { type: "string", minLength: 1 };
const file = (description: string): OptionSchema => ({ ...TEXT, description });

/** What {@link NatsSettings} may be. */
export const NATS_SETTINGS: OptionSchema = {
  ...optionsSchema<NatsSettings>(
    {
      servers: {
        anyOf: [TEXT, { type: "array", items: TEXT, minItems: 1 }],
        description: "Its address, such as nats://nats.example.com, or a list of them.",
      },
      prefix: { ...TEXT, description: "Begins the names of all that is kept there. Default haft." },
      replicas: {
        type: "integer",
        minimum: 1,
        description: "In a cluster: how many servers keep each record. Default 1.",
      },
      credentialsFile: file("A file of credentials (.creds)."),
      nkeyFile: file("A file with the seed of an nkey."),
      user: { ...TEXT, description: "A name, with a password." },
      password: { ...HIDDEN, description: "Of that user, or { env: NAME } of the variable that has it." },
      token: {
        ...HIDDEN,
        description: "Instead of a user: a token, or { env: NAME } of the variable that has it.",
      },
      tls: {
        ...optionsSchema<NonNullable<NatsSettings["tls"]>>({
          caFile: file("Certificates that are believed."),
          certFile: file("The certificate that is shown."),
          keyFile: file("Its key."),
        }),
        description: "Files of certificates, where the system's are not enough.",
      },
      sealKeyFile: file(
        "A file with 32 bytes or more that only the hosts have: who else may write there can allow nothing.",
      ),
    },
    ["servers"],
  ),
  description: "A NATS server with JetStream, for several hosts.",
};

/** The files by which a host is let in, or that only hosts are to have. */
export function keyFilesOf({ credentialsFile, nkeyFile, sealKeyFile, tls }: NatsSettings): string[] {
  return [credentialsFile, nkeyFile, sealKeyFile, tls?.keyFile].filter((path) => path !== undefined);
}

/** With whole paths. @param folder where the file lies that says them */
export function placedNats(settings: NatsSettings, folder: string): NatsSettings {
  const placed = {
    ...settings,
    ...placedFiles(settings, ["credentialsFile", "nkeyFile", "sealKeyFile"], folder),
  };
  if (settings.tls === undefined) return placed;
  return { ...placed, tls: placedFiles(settings.tls, ["caFile", "certFile", "keyFile"], folder) };
}

function placedFiles<K extends string>(
  settings: Partial<Record<K, unknown>>,
  names: readonly K[],
  folder: string,
): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const name of names) {
    const path = settings[name];
    if (typeof path === "string") found[name] = placedAt(path, folder);
  }
  return found;
}
