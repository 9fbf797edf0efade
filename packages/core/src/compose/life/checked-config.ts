import type { Plugin } from "../../contract/registration.ts";
import { messageWithCauses } from "../../format/causes.ts";
import { checkValue } from "../../parameters/check-value.ts";
import { readSchema } from "../../parameters/read-schema.ts";
import { formatPath, type Issue } from "../../parameters/schema/issues.ts";
import { SchemaReferences } from "../../parameters/schema/json-schema.ts";
import { didYouMean } from "../../parameters/schema/nearest.ts";
import { closed, frozen, withDefaults } from "./config-shape.ts";
import { isSecretAt, SecretCover, secretsOf } from "./secrets.ts";
import { validated } from "./validated.ts";

/** Where a part of a configuration stands, for messages: `haft.config.yaml:7: plugins[0].config.units`. */
export type ConfigPlace = (path: readonly (string | number)[]) => string | undefined;

/** What its operator says of a plugin, checked as far as that is possible without waiting. */
export interface CheckedConfig {
  /** With the defaults; frozen. */
  config: unknown;
  cover: SecretCover;
  /** What is wrong with it, a sentence each; empty when nothing is. */
  problems: readonly string[];
  /** What has the last word, where the schema is a library's. Answers the configuration, or rejects with what is wrong. */
  finish?: () => Promise<unknown>;
}

const NOTHING = new SecretCover([]);
const MOST_PROBLEMS = 8;

/** Checks `config` by `configSchema`. Never throws. */
export function checkConfig(
  { config, configSchema }: Plugin,
  place: ConfigPlace = () => undefined,
): CheckedConfig {
  if (configSchema === undefined) return { config, cover: NOTHING, problems: [] };
  let cover = NOTHING;
  try {
    const read = readSchema(configSchema, "configSchema");
    if ("problem" in read) throw new Error(read.problem);
    const { schema, validate } = read;
    const references = new SchemaReferences(schema);
    const filled = withDefaults(validate === undefined ? schema : undefined, config ?? {});
    cover = new SecretCover(secretsOf(schema, filled, references));
    const problems = checkValue(closed(schema) as object, filled, MOST_PROBLEMS)
      // A library may take what it makes something else of.
      .filter(({ kind }) => validate === undefined || kind !== "wrong")
      .map((issue) => {
        const isSecret = isSecretAt(schema, issue.path, references);
        return `${placed(pathOf(issue), place)}: ${cover.text(inWords(issue, isSecret))}`;
      });
    return {
      config: frozen(filled),
      cover,
      problems,
      ...(validate && { finish: () => finish(validate, filled, { place, cover }) }),
    };
  } catch (thrown) {
    const why = cover.text(messageWithCauses(thrown));
    return { config: undefined, cover, problems: [`${placed([], place)}: it cannot be checked: ${why}.`] };
  }
}

async function finish(
  validate: (value: unknown) => unknown,
  given: unknown,
  { place, cover }: { place: ConfigPlace; cover: SecretCover },
): Promise<unknown> {
  const answer = await validated(validate, given);
  if (!("issues" in answer)) return frozen(answer.value);
  const lines = answer.issues
    .slice(0, MOST_PROBLEMS)
    .map(({ path, message }) => `${placed(path, place)}: ${cover.text(message)}`);
  throw new Error(lines.join("\n"));
}

/** Of what is missing the object that lacks it: it has a line. */
function pathOf({ kind, path }: Issue): Issue["path"] {
  return kind === "missing" ? path.slice(0, -1) : path;
}

function placed(path: Issue["path"], place: ConfigPlace): string {
  return place(path) ?? (path.length === 0 ? "config" : formatPath(["config", ...path]));
}

function inWords({ kind, path, expected, received, known, near }: Issue, isSecret: boolean): string {
  if (kind === "missing") return `It has no ${path.at(-1)} (${expected}).`;
  if (kind === "unknown")
    return `There is no such key; known here: ${known.join(", ")}.${didYouMean(near.map((name) => JSON.stringify(name)))}`;
  if (isSecret) return `Expected ${expected}; what stands there is secret, and is something else.`;
  return `Expected ${expected}, got ${received}.${didYouMean(near.map((word) => JSON.stringify(word)))}`;
}
