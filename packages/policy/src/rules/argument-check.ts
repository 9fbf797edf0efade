import type { ToolFacts } from "@haft/core";
import type { ParameterFacts } from "@haft/core/internal";
import { compileWildcard, matchesWildcard, nearestNames } from "@haft/utils";
import { canHaveSubject } from "../patterns/match-call.ts";
import type { PatternProblem } from "../patterns/pattern-problem.ts";
import type { Selector } from "../patterns/selector.ts";
import { joinWords } from "../text/sentence.ts";

type Found =
  | { readonly is: "known"; readonly facts: ParameterFacts }
  | { readonly is: "possible" }
  | { readonly is: "alias"; readonly of: string }
  | { readonly is: "unknown" };

/** Returns why no call of these tools can have the argument of a condition. Skips tools with open parameters. */
export function argumentProblem(
  { text, target, conditions = [] }: Selector,
  matching: readonly ToolFacts[],
): PatternProblem | undefined {
  // A built-in name means the built-in tool.
  const builtIn = target.kind === "name" ? matching.filter((tool) => tool.builtIn) : [];
  const tools = builtIn.length > 0 ? builtIn : matching;
  for (const condition of conditions) {
    if (condition.kind !== "arg") continue;
    const { name, pattern } = condition;
    // Calls may use the id, the name or no value.
    if (name === "node" && tools.every((tool) => tool.builtIn && canHaveSubject(tool, "node"))) {
      const message = `A call may name its node by id, by name or not at all; write node:${pattern}, which matches all of these.`;
      return { message, nearest: [text.replace("arg:node=", "node:")] };
    }
    const found = tools.map(({ parameters }) => findParameter(name, parameters));
    const problem =
      otherSpelling(name, found) ?? unknownName(name, found, tools) ?? impossibleValue(name, pattern, found);
    if (problem === undefined) continue;
    const { message, names = [], values = [] } = problem;
    const nearest = [
      ...names.map((near) => text.replace(`arg:${name}=`, () => `arg:${near}=`)),
      ...values.map((near) => text.replace(`arg:${name}=${pattern}`, () => `arg:${name}=${near}`)),
    ];
    return { message, nearest };
  }
  return undefined;
}

/** Returns an argument that some tools may accept but none declares. */
export function doubtfulArgument(
  { conditions = [] }: Selector,
  tools: readonly ToolFacts[],
): string | undefined {
  for (const condition of conditions) {
    if (condition.kind !== "arg") continue;
    const found = tools.map((tool) => ({ tool, is: findParameter(condition.name, tool.parameters).is }));
    const possible = found.filter(({ is }) => is === "possible").map(({ tool }) => tool.name);
    if (possible.length === 0 || found.some(({ is }) => is === "known")) continue;
    const names = possible.length > 3 ? `${possible.length} tools` : joinWords(possible);
    return `It is unknown if ${names} can have an argument "${condition.name}", so this was not checked.`;
  }
  return undefined;
}

interface Problem {
  readonly message: string;
  readonly names?: readonly string[];
  readonly values?: readonly string[];
}

/** The rule would silently skip a tool that has an alias. */
function otherSpelling(name: string, found: readonly Found[]): Problem | undefined {
  const alias = found.find((each) => each.is === "alias");
  if (alias === undefined) return undefined;
  const message = `"${name}" is an alias of the argument "${alias.of}"; rules see only the argument's own name.`;
  return { message, names: [alias.of] };
}

function unknownName(
  name: string,
  found: readonly Found[],
  tools: readonly ToolFacts[],
): Problem | undefined {
  if (found.some(({ is }) => is !== "unknown")) return undefined;
  const plain = tools.flatMap(({ parameters = [] }) => parameters.filter(({ compound }) => !compound));
  const known = [...new Set(plain.map((each) => each.name))];
  const spellings = plain.filter((each) => !each.name.endsWith("*")).flatMap(spellingsOf);
  const near = nearestNames(
    name,
    spellings.map(({ spelling }) => spelling),
  ).map((nearest) => spellings.find(({ spelling }) => spelling === nearest)!.name);
  const listed = known.length > 12 ? [...known.slice(0, 11), `${known.length - 11} more`] : known;
  const whose = tools.length > 3 ? `these ${tools.length} tools` : joinWords(tools.map((tool) => tool.name));
  const compound = tools.some(({ parameters = [] }) =>
    parameters.some((each) => each.compound && each.name === name),
  );
  const what = compound ? `has a text argument "${name}"` : `has an argument "${name}"`;
  const there = known.length === 0 ? "" : `; there ${known.length === 1 ? "is" : "are"} ${joinWords(listed)}`;
  return { message: `No call of ${whose} ${what}${there}.`, names: [...new Set(near)] };
}

function spellingsOf({ name, aliases = [] }: ParameterFacts): { spelling: string; name: string }[] {
  const front = name.slice(0, name.lastIndexOf(".") + 1);
  return [name, ...aliases.map((alias) => front + alias)].map((spelling) => ({ spelling, name }));
}

function impossibleValue(name: string, pattern: string, found: readonly Found[]): Problem | undefined {
  const wildcard = compileWildcard(pattern);
  const values = new Set<string>();
  for (const each of found) {
    if (each.is === "unknown") continue;
    if (each.is !== "known" || each.facts.values === undefined) return undefined;
    for (const value of each.facts.values) values.add(value);
  }
  const all = [...values];
  if (all.length === 0 || all.some((value) => matchesWildcard(wildcard, value))) return undefined;
  const message = `The argument "${name}" is never ${JSON.stringify(pattern)}; it can be ${joinWords(all.slice(0, 12))}.`;
  return { message, values: nearestNames(pattern, all) };
}

function findParameter(name: string, parameters: readonly ParameterFacts[] | undefined): Found {
  if (parameters === undefined) return { is: "possible" };
  const facts = parameters.find((each) => each.name === name);
  if (facts) return facts.compound ? { is: "unknown" } : { is: "known", facts };
  const canonical = canonicalName(name, parameters);
  if (canonical !== name) return { is: "alias", of: canonical };
  const open = parameters.some((each) => each.name.endsWith("*") && name.startsWith(each.name.slice(0, -1)));
  return { is: open ? "possible" : "unknown" };
}

function canonicalName(name: string, parameters: readonly ParameterFacts[]): string {
  let canonical = "";
  for (const part of name.split(".")) {
    const front = canonical === "" ? "" : `${canonical}.`;
    const here = parameters.filter(
      (each) => each.name.startsWith(front) && !each.name.slice(front.length).includes("."),
    );
    const meant = here.some((each) => each.name === front + part)
      ? undefined
      : here.find(({ aliases }) => aliases?.includes(part));
    canonical = meant?.name ?? front + part;
  }
  return canonical;
}
