import { getErrorMessage, type Plugin } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { ToolDefinition } from "@haft/core/kernel";
import { setImmediate } from "node:timers/promises";
import type { NetworkAnswers } from "../fakes/fake-network.ts";
import { matchesSchema } from "../fuzz/arguments.ts";
import { type PortabilityFinding, checkPortability } from "../portability/check-portability.ts";
import { listSchemaNodes } from "../portability/measure.ts";
import { requirePackage } from "../session/require-package.ts";
import { requirePlugin } from "../session/require-plugin.ts";
import { type CheckedCall, callRepeatedly, formatArguments } from "./call-checks.ts";
import { type CheckSite, openCheckSite } from "./check-site.ts";
import { judgeAbort, judgeEffects, judgeOutput, judgePortBypasses } from "./judge-calls.ts";
import { type CheckReport, type CheckResult, createOkResult, createReport } from "./report.ts";
import { withSampleConfig } from "./sample-config.ts";
import { checkSandbox } from "./sandbox-check.ts";
import { checkComposition, checkDescription, checkFactories, checkNames } from "./static-checks.ts";

/** Configures the check of a plugin. */
export interface TestPluginOptions {
  /** Sets the seed of the arguments. Default: a random one. */
  seed?: number;
  /** Sets the number of calls of each tool. Default 60. */
  runs?: number;
  /** Limits one call, in milliseconds. Default 2,000. */
  callMs?: number;
  /** Sets the operator's configuration. Default: that of the plugin, or else a value that its `configSchema` accepts. */
  config?: unknown;
  /** Maps addresses to answers. Other requests get answers of many kinds. */
  network?: NetworkAnswers;
  /** Also uses a real sandbox. Default true. */
  sandbox?: boolean;
  /** Maps tools to arguments of successful calls. The sandbox then gets only these. */
  samples?: Readonly<Record<string, readonly unknown[]>>;
  /** Receives each result at once. */
  onCheck?: (result: CheckResult) => void;
  /** Receives each call in advance. */
  onCall?: (tool: string, args: unknown) => void;
}

/**
 * Checks a plugin with files in memory, a fake network and arguments from the schemas of its tools. It works in every test runner, and
 * without one.
 *
 * @throws HaftError `PACKAGE_MISSING` if `fast-check` is not installed, `INVALID_OPTIONS`
 * @example
 * ```ts run
 * import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
 * import { testPlugin } from "@haft/plugin-sdk/testing";
 *
 * const repeat = defineTool({
 *   name: "repeat",
 *   description: "Repeats a text.",
 *   parameters: Type.Object({
 *     value: Type.String({ maxLength: 100, description: "The text." }),
 *     times: Type.Integer({ minimum: 1, maximum: 10, description: "How often it is repeated." }),
 *   }),
 *   effects: [],
 *   execute: async (_toolCallId, { value, times }) => ({ content: [text(value.repeat(times) || "-")], details: {} }),
 * });
 * const plugin = definePlugin({ id: "texts", version: "1.0.0", tools: [repeat] });
 * (await testPlugin(plugin, { runs: 5, sandbox: false })).assert();
 * ```
 */
export async function testPlugin(plugin: Plugin, options: TestPluginOptions = {}): Promise<CheckReport> {
  requirePlugin("testPlugin", plugin);
  requireKnownOptions<TestPluginOptions>("testPlugin", options, {
    seed: true,
    runs: true,
    callMs: true,
    config: true,
    network: true,
    sandbox: true,
    samples: true,
    onCheck: true,
    onCall: true,
  });
  const {
    seed = Math.trunc(Math.random() * 1e9),
    runs = 60,
    callMs = 2_000,
    config,
    network,
    onCall = () => {},
  } = options;
  const fc = await requirePackage("fast-check", "A check of a plugin");
  const { plugin: given, said } = await withSampleConfig(
    fc,
    config === undefined ? plugin : { ...plugin, config },
  );
  const checks: CheckResult[] = [];
  const add = (results: readonly CheckResult[]) => {
    for (const result of results) options.onCheck?.(result);
    checks.push(...results);
  };
  if (options.samples !== undefined) {
    add(await checkSandbox(given, options.samples, network));
    return createReport({ plugin: plugin.id, checks, seed, samples: options.samples });
  }
  add(said);
  const site = await openCheckSite(given, { callMs, network });
  const good = new Map<string, readonly unknown[]>();
  try {
    add(checkComposition(site));
    add(await checkNames(site.observer.plugin(given), site.tools));
    add(checkFactories(site));
    for (const tool of site.tools) {
      add(checkDescription(tool));
      add(checkSchema(tool));
      const facts: CheckedCall = await callRepeatedly(fc, site, tool, { seed, runs, callMs, onCall });
      add(facts.results);
      add(await judgeAbort(site, tool.name, facts));
      add(judgeOutput(tool.name, facts));
      add(judgePortBypasses(tool.name, facts));
      add(judgeEffects(tool.name, site.getEffects(tool.name), facts));
      good.set(tool.name, facts.good);
    }
  } finally {
    await site.close();
  }
  add(checkWays(site));
  add(await checkLeaks(site));
  const samples = Object.fromEntries(good);
  if (options.sandbox !== false && [...good.values()].some((all) => all.length > 0))
    add(await checkSandbox(given, samples, network));
  return createReport({ plugin: plugin.id, checks, seed, samples });
}

/** Ended handles disappear within this many turns of the event loop. */
const TURNS = 20;

/** Factories must use their workspace. They may read files of their own package directly. */
function checkWays({ observer }: CheckSite): CheckResult[] {
  return [...new Set(observer.bypasses)].map((what) => ({
    check: "workspace",
    status: "problem",
    message: `A factory goes around its ports: ${what}.`,
    fix: "Use workspace of its context; what the plugin needs of the host comes from its configuration.",
  }));
}

/** A leak of a plugin keeps the process of its session alive. */
async function checkLeaks({ handles }: CheckSite): Promise<CheckResult[]> {
  for (let turn = 0; turn < TURNS && handles.listOpen().length > 0; turn++) await setImmediate();
  const left = handles.listOpen();
  handles.end();
  if (left.length === 0)
    return createOkResult("leaks", "Nothing is left running when its sessions are closed.");
  return [
    {
      check: "leaks",
      status: "problem",
      message: `When all sessions were closed, ${left.join(" and ")} of it still ran, so the process would not end.`,
      fix: "End it in the call that began it (finally), or with the signal of the factory; or let it go with unref().",
    },
  ];
}

/** A host must request these modes, which have special schemas. Haft's adapters send JSON Schema to Gemini. */
const REQUESTED = /-strict$|^gemini-openapi$/;
const MAX_NAMED = 3;

/** The host leaves out a default that its own schema rejects, and models cannot know why. */
function findWrongDefaults({ name, parameters }: ToolDefinition): CheckResult[] {
  return listSchemaNodes(parameters).flatMap(({ schema, path }) => {
    const isPart = ["properties", "items", "$ref"].some((key) => key in schema);
    if (isPart || !("default" in schema) || matchesSchema(schema, schema["default"])) return [];
    return {
      check: "schema",
      status: "problem",
      where: [name, path, "default"].filter(Boolean).join("."),
      message: `its schema rejects the default ${formatArguments(schema["default"])}.`,
      fix: "Correct the default or the type.",
    };
  });
}

/** Reports keywords that providers reject. */
function checkSchema(tool: ToolDefinition): CheckResult[] {
  let findings: PortabilityFinding[];
  try {
    findings = checkPortability({ ...tool, execute: () => {} });
  } catch (thrown) {
    return [{ check: "schema", status: "problem", where: tool.name, message: getErrorMessage(thrown) }];
  }
  const wrong = findWrongDefaults(tool);
  if (wrong.length > 0) return wrong;
  const breaking = findings.filter(({ severity }) => severity === "breaks");
  const places = Map.groupBy(
    breaking.filter(({ provider }) => !REQUESTED.test(provider)),
    ({ keyword, path, fix }) => JSON.stringify([keyword, path, fix]),
  );
  const results = [...places.values()].map((all): CheckResult => {
    const [{ keyword, path, problem, fix }] = all as [PortabilityFinding];
    const providers = [...new Set(all.map(({ provider }) => provider))].join(", ");
    return {
      check: "schema",
      status: "problem",
      where: [tool.name, path, keyword].filter(Boolean).join("."),
      message: `${providers}: ${problem}`,
      fix,
    };
  });
  if (results.length > 0) return results;
  const strict = breaking.map(({ provider, path, keyword }) => [
    provider,
    [path, keyword].filter(Boolean).join("."),
  ]);
  const named = [...Map.groupBy(strict, ([provider]) => provider)].map(([provider, all]) => {
    const where = [...new Set(all.map(([, place]) => place))];
    const more = where.length > MAX_NAMED ? ` and ${where.length - MAX_NAMED} more` : "";
    return `${provider} refuses ${where.slice(0, MAX_NAMED).join(", ")}${more}`;
  });
  const but = named.length === 0 ? "" : `; as it is, ${named.join("; ")}`;
  return createOkResult("schema", `every provider takes it${but}.`, tool.name);
}
