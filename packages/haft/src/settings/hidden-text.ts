import { type OptionSchema, optionsSchema } from "@haft/core/internal";

/** A value that need not stand in a file: the name of a variable of the host's environment that has it. */
export interface FromEnvironment {
  /** Name of the variable. */
  env: string;
}

const TEXT: OptionSchema = { type: "string", minLength: 1 };

/** What may be a secret. */
export const HIDDEN: OptionSchema = {
  anyOf: [
    TEXT,
    {
      ...optionsSchema<FromEnvironment>({ env: { ...TEXT, description: "Name of the variable." } }, ["env"]),
    },
  ],
};

/** @throws Error that names the variable, where it is not set */
export function hiddenText(given: string | FromEnvironment): string {
  if (typeof given === "string") return given;
  const value = process.env[given.env];
  if (value === undefined || value === "") throw new Error(`the variable ${given.env} is not set`);
  return value;
}
