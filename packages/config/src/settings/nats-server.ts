import { type OptionSchema, type OptionSchemas, optionsSchema } from "@haft/core/internal";
import { resolvePath } from "./resolve-path.ts";
import { type EnvironmentReference, SECRET_TEXT } from "./secret-text.ts";

/**
 * Configures a NATS server, and the identity of this program there. Paths in a file start at its folder, or with `~/`.
 *
 * @example
 * ```ts
 * import type { NatsServerSettings } from "@haft/config";
 * const server: NatsServerSettings = { servers: "tls://nats.example.com", user: "agent", password: { env: "NATS_PASSWORD" } };
 * ```
 */
export interface NatsServerSettings {
  /** Lists URLs, `nats://` or `tls://`. Servers of a cluster announce the others. */
  servers: string | readonly string[];
  /** Names a file of credentials (`.creds`). */
  credentialsFile?: string;
  /** Names a file with the seed of an nkey. */
  nkeyFile?: string;
  /** Names the user, with `password`. */
  user?: string;
  /** Sets the password of the user. */
  password?: string | EnvironmentReference;
  /** Sets a token, instead of a user. */
  token?: string | EnvironmentReference;
  /** Names certificate files, for servers that the system's certificates do not cover, or that require a client certificate. */
  tls?: { caFile?: string; certFile?: string; keyFile?: string };
}

const TEXT: OptionSchema = { type: "string", minLength: 1 };

export const textSetting = (description: string): OptionSchema => ({ ...TEXT, description });

export const NATS_SERVER: OptionSchemas<NatsServerSettings> = {
  servers: {
    anyOf: [TEXT, { type: "array", items: TEXT, minItems: 1 }],
    description: "Its address, such as nats://nats.example.com, or a list of them.",
  },
  credentialsFile: textSetting("A file of credentials (.creds)."),
  nkeyFile: textSetting("A file with the seed of an nkey."),
  user: { ...TEXT, description: "A name, with a password." },
  password: { ...SECRET_TEXT, description: "Of that user, or { env: NAME } of the variable that has it." },
  token: {
    ...SECRET_TEXT,
    description: "Instead of a user: a token, or { env: NAME } of the variable that has it.",
  },
  tls: {
    ...optionsSchema<NonNullable<NatsServerSettings["tls"]>>({
      caFile: textSetting("Certificates that are believed."),
      certFile: textSetting("The certificate that is shown."),
      keyFile: textSetting("Its key."),
    }),
    description: "Files of certificates, where the system's are not enough.",
  },
};

/** Returns files with credentials. */
export function listServerKeyFiles({ credentialsFile, nkeyFile, tls }: NatsServerSettings): string[] {
  return [credentialsFile, nkeyFile, tls?.keyFile].filter((path) => path !== undefined);
}

/** @param folder the folder of the configuration */
export function resolveServerPaths<T extends NatsServerSettings>(settings: T, folder: string): T {
  const placed = { ...settings, ...resolveFilePaths(settings, ["credentialsFile", "nkeyFile"], folder) };
  if (settings.tls === undefined) return placed;
  return { ...placed, tls: resolveFilePaths(settings.tls, ["caFile", "certFile", "keyFile"], folder) };
}

export function resolveFilePaths<K extends string>(
  settings: Partial<Record<K, unknown>>,
  names: readonly K[],
  folder: string,
): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const name of names) {
    const path = settings[name];
    if (typeof path === "string") found[name] = resolvePath(path, folder);
  }
  return found;
}
