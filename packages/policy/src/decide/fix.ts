import type { Decision, ToolFacts } from "@haft/core";
import { findDecisiveStep } from "@haft/core/internal";
import { escapeWildcard } from "@haft/utils";
import { compileCommandPattern, exactCommandPattern } from "../patterns/command-pattern.ts";
import { compileHostPattern } from "../patterns/host-pattern.ts";
import type { CallFacts, CallMatcher } from "../patterns/match-call.ts";
import { escapePath } from "../patterns/path-glob.ts";
import { widerProfile } from "../patterns/profiles.ts";
import { parseSelector } from "../patterns/selector.ts";
import { applyChanges, type Change, describeChanges, getChangePath } from "../read/change.ts";
import { findSourceFile } from "../read/document.ts";
import { scopeParts } from "../read/policy-config.ts";
import type { KeyPath } from "../read/problems.ts";
import { type Catalogue, resolveWord } from "../rules/catalogue.ts";
import {
  type CheckSource,
  compilePolicy,
  type PolicySource,
  type PolicySources,
} from "../rules/compile-policy.ts";
import type { Finding, Remedy } from "../rules/rule.ts";
import { joinWords } from "../text/sentence.ts";
import { evaluate } from "./evaluate.ts";
import { type Layers, createLayers } from "./layers.ts";
import { updateSessionFacts } from "./resolve-containment.ts";

export interface Fix {
  readonly changes: readonly Change[];
  readonly text: string;
}

export interface FixContext {
  readonly sources: PolicySources;
  readonly catalogue: Catalogue;
  readonly check: CheckSource;
  readonly shadow: boolean;
}

/** Returns the smallest tested change that gives a better answer. */
export function findFix(
  tool: ToolFacts,
  call: CallFacts,
  layers: Layers,
  context: FixContext,
): Fix | undefined {
  const findings = evaluate(layers, tool, call, false);
  const verdict = findDecisiveStep(findings)?.verdict ?? "deny";
  const inTheWay = findings.filter((finding) => finding.verdict === verdict);
  if (verdict === "allow" || inTheWay.some(({ remedies }) => remedies === undefined)) return undefined;
  const better = (changes: readonly Change[]): Attempt | undefined => {
    const tried = attempt(changes, tool, call, layers, context);
    return tried && rank[tried.effect] < rank[verdict] ? tried : undefined;
  };
  let best = better(changesFor(inTheWay, tool, call, context.catalogue));
  if (!best) return undefined;
  // One addition can make another unnecessary. All removals are needed.
  for (const change of best.changes.filter(({ op }) => op !== "remove")) {
    const fewer: Change[] = best.changes.filter((other) => other !== change);
    best = (fewer.length > 0 ? better(fewer) : undefined) ?? best;
  }
  return { changes: best.changes, text: describe(best, tool, layers, context) };
}

interface Attempt {
  readonly changes: readonly Change[];
  readonly layers: Layers;
  readonly effect: Decision["effect"];
}

function attempt(
  changes: readonly Change[],
  tool: ToolFacts,
  call: CallFacts,
  before: Layers,
  { sources, catalogue, check, shadow }: FixContext,
): Attempt | undefined {
  const changed = (source: PolicySource): PolicySource => {
    return { ...source, config: applyChanges(source.config, changes, source.document.owner) };
  };
  if (changes.some((change) => change.op === "add" && isMalformed(change))) return undefined;
  const { policy, administrator, workspace = [] } = sources;
  const made = compilePolicy(
    {
      policy: changed(policy),
      administrator: administrator && changed(administrator),
      workspace: workspace.map(changed),
    },
    catalogue,
    check,
  );
  if (made.problem) return undefined;
  const layers = createLayers(made.compiled, updateSessionFacts(before, made.compiled), shadow);
  return { changes, layers, effect: effectOf(layers, tool, call) };
}

function isMalformed({ list, entry }: Extract<Change, { op: "add" }>): boolean {
  const key = keyOfExec(list);
  const read =
    key === undefined ? parseSelector : key === "network" ? compileHostPattern : compileCommandPattern;
  return "message" in read(entry);
}

/** An agent or a group may also have the name `exec`. */
function keyOfExec(list: KeyPath): string | number | undefined {
  const isName = list.length === 3 && scopeParts.some((part) => part === list[0]);
  return list.at(-2) === "exec" && !isName ? list.at(-1) : undefined;
}

function effectOf(layers: Layers, tool: ToolFacts, call: CallFacts): Decision["effect"] {
  return findDecisiveStep(evaluate(layers, tool, call, false))?.verdict ?? "deny";
}

const rank = { allow: 0, ask: 1, deny: 2 };

function changesFor(
  inTheWay: readonly Finding[],
  tool: ToolFacts,
  call: CallFacts,
  catalogue: Catalogue,
): Change[] {
  const changes = new Map<string, Change>();
  for (const remedy of inTheWay.flatMap(({ remedies = [] }) => remedies)) {
    for (const change of complete(remedy, tool, call, catalogue)) changes.set(JSON.stringify(change), change);
  }
  return [...changes.values()];
}

function complete(remedy: Remedy, tool: ToolFacts, call: CallFacts, catalogue: Catalogue): Change[] {
  switch (remedy.op) {
    case "add":
    case "remove":
    case "set":
      return [remedy];
    case "name": {
      const { owner, list, narrow } = remedy;
      const name = shortestName(tool, catalogue);
      return narrowed(narrow, call).map((suffix) => ({ op: "add", owner, list, entry: `${name}${suffix}` }));
    }
    case "widen": {
      const value = widerProfile(remedy.profile, tool, catalogue.tools);
      return [{ op: "set", owner: remedy.owner, key: [...remedy.scope, "profile"], value }];
    }
  }
}

function narrowed(matchers: readonly CallMatcher[], { subjects }: CallFacts): string[] {
  const uses = (kind: "commands" | "paths" | "hosts" | "nodes") =>
    matchers.some((matcher) => matcher[kind].length > 0);
  const action = subjects?.action;
  if (action !== undefined && matchers.some((matcher) => matcher.action !== undefined)) return [`:${action}`];
  const conditions: (string | undefined)[] = [];
  if (uses("commands")) {
    for (const command of subjects?.command?.commands ?? []) {
      const pattern = exactCommandPattern(command);
      conditions.push(pattern && (/:|^command/.test(pattern) ? `command:${pattern}` : pattern));
    }
  } else if (uses("paths")) {
    for (const { relative, recursive } of subjects?.paths ?? []) {
      const below =
        recursive === true
          ? relative === "" || relative === "."
            ? "**"
            : `${escapePath(relative)}/**`
          : escapePath(relative);
      conditions.push(`path:${below}`);
    }
  } else if (uses("hosts")) {
    for (const host of subjects?.hosts ?? []) conditions.push(`host:${escapeWildcard(host)}`);
  } else if (uses("nodes")) {
    if (subjects?.node !== undefined) conditions.push(`node:${escapeWildcard(subjects.node.name)}`);
  }
  if (conditions.length === 0 || conditions.includes(undefined)) return [""];
  return [...new Set(conditions)].map((condition) => `(${condition})`);
}

function shortestName(tool: ToolFacts, catalogue: Catalogue): string {
  const meant = resolveWord({ text: tool.name, target: { kind: "word", word: tool.name } }, true, catalogue);
  return "target" in meant && meant.target.kind === "id" && meant.target.id === tool.id ? tool.name : tool.id;
}

function describe(fix: Attempt, tool: ToolFacts, before: Layers, { sources, catalogue }: FixContext): string {
  const sentences: string[] = [];
  for (const source of [sources.administrator, sources.policy, ...(sources.workspace ?? [])]) {
    const changes = fix.changes.filter(({ owner }) => owner === source?.document.owner);
    if (source === undefined || changes.length === 0) continue;
    const { owner } = source.document;
    const byFile = Map.groupBy(changes, (change) => findSourceFile(source.document, getChangePath(change)));
    for (const [file, here] of byFile) {
      const sentence = `${joinWords(describeChanges(here))} in ${file}${owner === "administrator" ? ", the administrator's document" : ""}.`;
      sentences.push(sentence[0]!.toUpperCase() + sentence.slice(1));
    }
  }
  const opened = alsoOpened(fix, tool, before, catalogue);
  if (opened.length > 0)
    sentences.push(`This also allows the ${opened.length === 1 ? "tool" : "tools"} ${joinWords(opened)}.`);
  const programs = fix.changes.flatMap((each) => {
    const lists = each.op === "add" && keyOfExec(each.list) === "allow";
    return lists && !/(?<!\\) /.test(each.entry) ? each.entry : [];
  });
  if (programs.length > 0) sentences.push(`This lets ${joinWords(programs)} run with any arguments.`);
  if (fix.effect === "ask") sentences.push("Calls can still need approval.");
  return sentences.join(" ");
}

function alsoOpened(fix: Attempt, tool: ToolFacts, before: Layers, catalogue: Catalogue): string[] {
  // Exec rules always apply to all commands.
  const wide = fix.changes.filter(
    (each) => each.op !== "add" && !(each.op === "set" && each.key.includes("exec")),
  );
  if (wide.length === 0) return [];
  const call: CallFacts = { args: undefined };
  const opened = catalogue.tools.filter((other) => {
    return (
      other.id !== tool.id && rank[effectOf(fix.layers, other, call)] < rank[effectOf(before, other, call)]
    );
  });
  const names = opened.map((other) => `\`${shortestName(other, catalogue)}\``);
  return names.length > 5 ? [...names.slice(0, 4), `${names.length - 4} more`] : names;
}
