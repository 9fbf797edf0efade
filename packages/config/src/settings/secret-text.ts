import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { resolve } from "node:path";

/**
 * Names a variable in the environment of the host, so that no file has to contain the value.
 *
 * @example
 * ```ts
 * import type { EnvironmentReference } from "@haft/config";
 * const password: EnvironmentReference = { env: "NATS_PASSWORD" };
 * ```
 */
export interface EnvironmentReference {
  /** Names the variable. */
  env: string;
}

const TEXT: OptionSchema = { type: "string", minLength: 1 };

export const SECRET_TEXT: OptionSchema = {
  anyOf: [
    TEXT,
    {
      ...optionsSchema<EnvironmentReference>({ env: { ...TEXT, description: "Name of the variable." } }, [
        "env",
      ]),
    },
  ],
};

/** @throws Error that names a missing variable */
export function resolveSecretText(given: string | EnvironmentReference): string {
  if (typeof given === "string") return given;
  const value = process.env[given.env];
  if (value === undefined || value === "") throw new Error(`the variable ${given.env} is not set`);
  return value;
}

const VARIABLES = [
  "HAFT_CONFIG",
  "HAFT_POLICY",
  "HAFT_ADMIN_POLICY",
  "HAFT_STATE_DIR",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
];

/**
 * Returns the variables that locate Haft's files, for programs that pass few variables on. The state folder is made absolute; the reader
 * refuses other relative paths.
 */
export function getExportedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    VARIABLES.flatMap((name) => {
      const value = process.env[name] ?? "";
      if (value === "") return [];
      return [[name, name === "HAFT_STATE_DIR" ? resolve(value) : value]];
    }),
  );
}
