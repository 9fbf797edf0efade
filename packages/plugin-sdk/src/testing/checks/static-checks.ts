import type { Plugin } from "@haft/core";
import { Registry, SessionFactory, type ToolDefinition } from "@haft/core/kernel";
import { createMemoryWorkspace } from "../memory/memory-workspace.ts";
import { createTestPolicy } from "../session/test-policy.ts";
import type { CheckSite } from "./check-site.ts";
import { type CheckResult, createOkResult } from "./report.ts";

/** Milliseconds of a factory: unnoticeable, and too slow. Each session waits for it. */
const QUICK_MS = 100;
const SLOW_MS = 1_000;
/** Every provider accepts this length. */
const LONGEST_DESCRIPTION = 1_024;
const SHORTEST_DESCRIPTION = 20;
/** Tokens of one tool in each request that deserve a warning. */
const MANY_TOKENS = 1_000;
const CHARACTERS_A_TOKEN = 4;

export function checkComposition(site: CheckSite): CheckResult[] {
  const found = site.session.diagnostics();
  const names = site.tools.map(({ name }) => name).join(", ");
  if (found.length > 0)
    return found.map(({ code, message, fix, names: about }) => ({
      check: "composition",
      status: "problem",
      code,
      message,
      where: about.join(", "),
      // The default advice is for operators.
      fix: fix.startsWith("Report it") ? "Correct it; the other tools work." : fix,
    }));
  const { length } = site.tools;
  if (length > 0)
    return createOkResult("composition", `${length === 1 ? "One tool" : `${length} tools`}: ${names}.`);
  return [
    {
      check: "composition",
      status: "warning",
      message: "No tool is offered in a main session.",
      fix: "Give it a tool, or check it where its factory makes one.",
    },
  ];
}

/** Each session waits for its factories. */
export function checkFactories({ observer }: CheckSite): CheckResult[] {
  const slow = [...observer.factories].map(([names, times]) => ({ names, ms: Math.min(...times) }));
  const results = slow
    .filter(({ ms }) => ms > QUICK_MS)
    .map(({ names, ms }): CheckResult => ({
      check: "factory",
      status: ms > SLOW_MS ? "problem" : "warning",
      where: names,
      message: `its factory took ${Math.round(ms)} ms, and each session waits for it.`,
      fix: "Do the work in setup, which runs once for each host, or in the first call.",
    }));
  const longest = Math.max(0, ...slow.map(({ ms }) => ms));
  if (results.length > 0) return results;
  return createOkResult(
    "factory",
    `Tools are made in ${longest < 1 ? "less than 1" : Math.round(longest)} ms.`,
  );
}

const BUILT_IN_NAMES = new Set(
  "read write edit apply_patch ls find grep exec process bash node_invoke".split(" "),
);

/** A second load and a second session must get the same tools: providers cache them, and rules name them. */
export async function checkNames(plugin: Plugin, first: readonly ToolDefinition[]): Promise<CheckResult[]> {
  const registry = new Registry({ plugins: [plugin] });
  const factory = new SessionFactory({ registry, policy: await createTestPolicy(registry, {}) });
  const session = await factory.open({
    kind: "main",
    workspace: createMemoryWorkspace(),
    sessionKey: "check-again",
  });
  const second = session.tools();
  await session.close();
  await registry.close();
  const [one, other] = [first, second].map((tools) => tools.map(({ name }) => name).join(", "));
  if (one !== other)
    return [
      {
        check: "names",
        status: "problem",
        message: `a second session has other tools: ${other === "" ? "none" : other} instead of ${one === "" ? "none" : one}.`,
        fix: "Name tools the same each time, and make them from the session alone: no counter, date or random number.",
      },
    ];
  const replaces = new Set(plugin.replaces);
  const taken = first.filter(({ name }) => BUILT_IN_NAMES.has(name) && !replaces.has(name));
  if (taken.length > 0)
    return taken.map(({ name }) => ({
      check: "names",
      status: "problem",
      where: name,
      message: `a tool of Haft has this name and keeps it, so this tool is called ${plugin.id}/${name}.`,
      fix: `Rename it. If it takes the place of Haft's tool, list ${JSON.stringify(name)} in replaces of the plugin.`,
    }));
  const changed = first.filter((tool, index) => JSON.stringify(tool) !== JSON.stringify(second[index]));
  return changed.length === 0
    ? createOkResult("names", "A second session has the same names, descriptions and schemas.")
    : changed.map(({ name }) => ({
        check: "names",
        status: "warning",
        where: name,
        message: "a second session is told another description or schema, so providers cache none of it.",
        fix: "Leave out what changes: times, counters, random values, the order of what has none.",
      }));
}

/** Every request to a model contains the description. */
export function checkDescription(tool: ToolDefinition): CheckResult[] {
  const { name, description, parameters } = tool;
  const results: CheckResult[] = [];
  const add = (status: "warning" | "problem", message: string, fix: string, where = name) =>
    results.push({ check: "description", status, where, message, fix });
  if (description.length > LONGEST_DESCRIPTION)
    add(
      "problem",
      `its description has ${description.length} characters, and some providers take ${LONGEST_DESCRIPTION}.`,
      "Shorten it; what concerns one parameter belongs to that parameter.",
    );
  if (description.trim().length < SHORTEST_DESCRIPTION)
    add(
      "warning",
      `its description says little: ${JSON.stringify(description)}.`,
      "Say what it does, what it answers, and when to use it.",
    );
  const bare = Object.entries((parameters["properties"] ?? {}) as Record<string, { description?: unknown }>)
    .filter(([, part]) => typeof part?.description !== "string")
    .map(([key]) => key);
  if (bare.length > 0)
    add(
      "warning",
      `nothing is said of ${bare.length === 1 ? "its parameter" : "its parameters"} ${bare.join(", ")}.`,
      'Give each a description: Type.String({ description: "…" }).',
    );
  // Other members do not reach a model.
  const told = JSON.stringify({ name, description, parameters });
  const tokens = Math.ceil(told.length / CHARACTERS_A_TOKEN);
  if (tokens > MANY_TOKENS)
    add(
      "warning",
      `it costs about ${tokens} tokens in every request.`,
      "Shorten descriptions, or split what is rarely used into a tool of its own.",
    );
  if (results.length > 0) return results;
  return createOkResult("description", `about ${tokens} tokens in every request.`, name);
}
