import { didYouMean, isObject } from "@haft/utils";
import type { Plugin } from "../../contract/registration.ts";
import { messageWithCauses } from "../../format/causes.ts";
import { SecretMasker } from "../../format/secret-masker.ts";
import { checkValue } from "../../parameters/check-options.ts";
import { applyDefaults } from "../../parameters/defaults.ts";
import { readSchema } from "../../parameters/read-schema.ts";
import { formatPath, type Issue } from "../../parameters/schema/issues.ts";
import { SchemaReferences } from "../../parameters/schema/json-schema.ts";
import { closeSchema, freezeDeep } from "./config-shape.ts";
import { isSecretAt, mayBeSecretAt, listSecrets } from "./secrets.ts";

/** Locates a part of a configuration: `haft.config.yaml:7: plugins[0].config.units`. */
export type ConfigSourceLookup = (path: readonly (string | number)[]) => string | undefined;

export interface ConfigProblem {
  /** Path in `config`. A missing key has the path of its object, which has a line. */
  path: readonly (string | number)[];
  message: string;
}

export interface CheckedConfig {
  config: unknown;
  secrets: readonly string[];
  secretMasker: SecretMasker;
  problems: readonly ConfigProblem[];
  /** Runs a library's schema; rejects with the problem. */
  finish?: () => Promise<unknown>;
}

const NOTHING = new SecretMasker([]);
const MAX_PROBLEMS = 8;

export function checkConfig(
  { config, configSchema }: Plugin,
  getSource: ConfigSourceLookup = () => undefined,
): CheckedConfig {
  if (configSchema === undefined) return { config, secrets: [], secretMasker: NOTHING, problems: [] };
  let secrets: readonly string[] = [];
  let cover = NOTHING;
  try {
    const read = readSchema(configSchema, "configSchema");
    if ("problem" in read) throw new Error(read.problem);
    const { schema, validate } = read;
    const references = new SchemaReferences(schema);
    const filled = applyDefaults(validate === undefined ? schema : undefined, config ?? {});
    secrets = listSecrets(schema, filled, references);
    cover = new SecretMasker(secrets);
    const problems = checkValue(closeSchema(schema) as object, filled, MAX_PROBLEMS)
      .filter(({ kind }) => validate === undefined || kind !== "wrong")
      .map((issue) => {
        const isSecret =
          isSecretAt(schema, issue.path, references) || mayBeSecretAt(schema, issue.path, references);
        const { kind, path: whole } = issue;
        const path = kind === "missing" ? whole.slice(0, -1) : whole;
        return { path, message: cover.maskText(inWords(issue, isSecret)) };
      });
    return {
      config: freezeDeep(filled),
      secrets,
      secretMasker: cover,
      problems,
      ...(validate && { finish: () => finish(validate, filled, { getSource, cover }) }),
    };
  } catch (thrown) {
    const why = cover.maskText(messageWithCauses(thrown));
    return {
      config: undefined,
      secrets,
      secretMasker: cover,
      problems: [{ path: [], message: `it cannot be checked: ${why}.` }],
    };
  }
}

async function finish(
  validate: (value: unknown) => unknown,
  given: unknown,
  { getSource, cover }: { getSource: ConfigSourceLookup; cover: SecretMasker },
): Promise<unknown> {
  const answer = await validated(validate, given);
  if (!("issues" in answer)) return freezeDeep(answer.value);
  const lines = answer.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) => formatConfigProblem({ path, message: cover.maskText(message) }, getSource));
  throw new Error(lines.join(" "));
}

export function formatConfigProblem({ path, message }: ConfigProblem, getSource: ConfigSourceLookup): string {
  return `${getSource(path) ?? (path.length === 0 ? "config" : formatPath(["config", ...path]))}: ${message}`;
}

function inWords({ kind, path, expected, received, known, near }: Issue, isSecret: boolean): string {
  if (kind === "missing") return `It has no ${path.at(-1)} (${expected}).`;
  if (kind === "unknown")
    return `There is no such key; known here: ${known.join(", ")}.${didYouMean(near.map((name) => JSON.stringify(name)))}`;
  if (isSecret)
    return `Expected ${expected}. The value differs from this and is not shown, since it may be secret.`;
  return `Expected ${expected}, got ${received}.${didYouMean(near.map((word) => JSON.stringify(word)))}`;
}

type Validated = { value: unknown } | { issues: { path: (string | number)[]; message: string }[] };

async function validated(validate: (value: unknown) => unknown, value: unknown): Promise<Validated> {
  const result = (await validate(value)) as {
    value?: unknown;
    issues?: readonly { message?: unknown; path?: readonly unknown[] }[];
  };
  if (result.issues === undefined || result.issues === null) return { value: result.value };
  return {
    issues: Array.from(result.issues, ({ message, path = [] }) => ({
      message: String(message),
      path: Array.from(path, (part) => {
        const key: unknown = isObject(part) && "key" in part ? part["key"] : part;
        return typeof key === "number" ? key : String(key);
      }),
    })),
  };
}
