import type { Plugin } from "@haft/core";
import { checkConfig, readSchema } from "@haft/core/internal";
import { withTimeout } from "@haft/utils";
import {
  createArgumentsArbitrary,
  matchesSchema,
  type FastCheck,
  type ArgumentSchema,
} from "../fuzz/arguments.ts";
import { type CheckResult, createOkResult } from "./report.ts";

const TRIES = 30;
const LONGEST = 100_000;
/** Milliseconds for one validation by a library. */
const JUDGE_MS = 2_000;

/**
 * Adds a configuration if the plugin needs one and has none: examples and defaults of the schema, else generated values. `said` reports
 * generated values.
 */
export async function withSampleConfig(
  fc: FastCheck,
  plugin: Plugin,
): Promise<{ plugin: Plugin; said: readonly CheckResult[] }> {
  const { configSchema } = plugin;
  if (configSchema === undefined || plugin.config !== undefined || (await isTaken(plugin)))
    return { plugin, said: [] };
  const read = readSchema(configSchema, "configSchema");
  // Composition reports the problem.
  if ("problem" in read) return { plugin, said: [] };
  for (const config of candidates(fc, read.schema)) {
    const given = { ...plugin, config };
    if (await isTaken(given)) return { plugin: given, said: madeUp(config) };
  }
  return { plugin, said: [NONE_FOUND] };
}

/** The plainest come first. */
function* candidates(fc: FastCheck, schema: ArgumentSchema): Iterable<unknown> {
  yield* listOf(schema["examples"]);
  // Two processes check the plugin, so the value does not depend on the seed.
  const made = fc.sample(createArgumentsArbitrary(fc, plain(schema) as ArgumentSchema), {
    seed: 1,
    numRuns: TRIES,
  });
  yield* made.filter((config) => matchesSchema(schema, config));
}

/** Returns the same schema with plain values where possible: examples, defaults, usual texts and numbers. Omits optional keys. */
function plain(schema: unknown, name?: string): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const node = schema as ArgumentSchema;
  // A default can lack a required key.
  const byDefault = node["default"] !== undefined && matchesSchema(node, node["default"]);
  const [known = byDefault ? node["default"] : plainValue(node, name)] = listOf(node["examples"]);
  if (known !== undefined && name !== undefined) return { const: known };
  const { properties, required } = node as { properties?: ArgumentSchema; required?: readonly string[] };
  if (properties === undefined) return node;
  const needed = Object.entries(properties).filter(([key]) => listOf(required).includes(key));
  return { ...node, properties: Object.fromEntries(needed.map(([key, part]) => [key, plain(part, key)])) };
}

/** Odd values could break a setup. */
function plainValue(node: ArgumentSchema, name = ""): unknown {
  if (["enum", "const", "pattern", "format", "anyOf", "oneOf", "allOf"].some((key) => key in node))
    return undefined;
  if (node["type"] === "string") {
    const { minLength = 0, maxLength } = node as { minLength?: number; maxLength?: number };
    const text = /url|uri|endpoint/i.test(name) ? "https://api.example.com/" : "haft-check-value";
    return text.padEnd(Math.min(minLength, LONGEST), "x").slice(0, maxLength);
  }
  if (node["type"] !== "number" && node["type"] !== "integer") return undefined;
  return [1, node["minimum"], node["maximum"]].find(
    (value) => value !== undefined && matchesSchema(node, value),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

async function isTaken(plugin: Plugin): Promise<boolean> {
  const { problems, finish } = checkConfig(plugin);
  if (problems.length > 0 || finish === undefined) return problems.length === 0;
  const judged = finish().then(
    () => true,
    () => false,
  );
  return (await withTimeout(judged, JUDGE_MS)) === true;
}

function madeUp(config: unknown): CheckResult[] {
  const keys = Object.keys(config ?? {}).join(", ");
  return createOkResult(
    "config",
    `It needs a configuration, and is checked with one made from its schema: ${keys}.`,
  );
}

const NONE_FOUND: CheckResult = {
  check: "config",
  status: "problem",
  message: "It needs a configuration, and none was found that its schema takes.",
  fix: "Give the schema one that it takes, { examples: [{ … }] }; in a test of your own, testPlugin(plugin, { config }).",
};
