import type { CommandSubject, PlannedCommand, ToolFacts } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { exactCommandPattern } from "../patterns/command-pattern.ts";
import type { CallFacts } from "../patterns/match-call.ts";
import type { Change } from "../read/change.ts";
import { type Document, isWorkspaceDocument, formatSource } from "../read/document.ts";
import { type ElevatedRules, type ExecRules, resolveExecConfig } from "../read/exec-config.ts";
import type { KeyPath } from "../read/problems.ts";
import { type SenderKey, validSenderKey } from "../read/sender-key.ts";
import { admitsCommand, type CommandList, compileCommandList, describeMiss } from "./command-list.ts";
import {
  compileContainment,
  type LayerContainment,
  findMissingContainment,
  type ContainmentView,
} from "./containment.ts";
import type { Finding } from "./rule.ts";

export interface ExecLayer {
  readonly document: Document;
  readonly path: KeyPath;
  readonly security: ExecRules["security"];
  readonly ask: NonNullable<ExecRules["ask"]>;
  /** For commands that nothing contains, although this scope requires it. */
  readonly uncontained: ReturnType<typeof resolveExecConfig>;
  readonly containment: LayerContainment | undefined;
  readonly listed: boolean;
  readonly list: CommandList;
  readonly gate: KeyPath;
  readonly elevated: (ElevatedRules & { readonly keys: readonly SenderKey[] }) | undefined;
}

export function compileExec(rules: ExecRules, path: KeyPath, document: Document): ExecLayer {
  const { security, ask } = resolveExecConfig(rules, false);
  const { elevated } = rules;
  const gate = rules.allow ? "allow" : rules.security ? "security" : "preset";
  return {
    document,
    path,
    security,
    ask,
    uncontained: resolveExecConfig(rules, true),
    containment: compileContainment(rules, path, document),
    listed: rules.allow !== undefined,
    list: compileCommandList(rules),
    gate: [...path, gate],
    elevated: elevated && { ...elevated, keys: (elevated.senders ?? []).flatMap(validSenderKey) },
  };
}

export function isExecEffective({ security, ask, elevated, containment }: ExecLayer): boolean {
  const holds = (security !== undefined && security !== "full") || ask !== "off";
  return holds || elevated !== undefined || containment !== undefined;
}

export function inspectsCommands(layer: ExecLayer, view: ContainmentView): boolean {
  const { security, ask, missing, spares } = rulesIn(layer, view, false);
  const gated = security === "deny" || (security === "allowlist" && !spares);
  return gated || ask === "always" || missing !== undefined || layer.elevated !== undefined;
}

export interface ProgramRun {
  readonly view: ContainmentView;
  readonly leaves: boolean;
  readonly lifted: boolean;
}

function rulesIn(layer: ExecLayer, view: ContainmentView, leaves: boolean) {
  const missing = findMissingContainment(layer.containment, view);
  const { security, ask } = missing === undefined ? layer : layer.uncontained;
  const contained = view.containment !== undefined && missing === undefined && !leaves;
  // These apply even to contained commands.
  const always = layer.document.owner === "administrator" || layer.listed;
  return { security, ask, missing, spares: contained && ask === "on-miss" && !always };
}

export function evaluateExec(
  layer: ExecLayer,
  tool: ToolFacts,
  { subjects }: CallFacts,
  { view, leaves, lifted }: ProgramRun,
): Finding[] {
  if (subjects === undefined ? !tool.effects.includes("execute") : subjects.command === undefined) return [];
  const { document, path } = layer;
  const { security, ask, missing, spares } = rulesIn(layer, view, leaves);
  const command = subjects?.command;
  const at = (key: string) => formatSource(document, [...path, key]);
  const findings: Finding[] = [];
  const held = security === "deny" || security === "allowlist" || ask === "always" || missing !== undefined;
  if (lifted && held) {
    const source = formatSource(document, path);
    return [{ layer: "exec", rule: "lifted by elevation", source, verdict: "pass", because: "is elevated" }];
  }
  if (security === "deny") {
    findings.push({
      layer: "exec",
      rule: 'security "deny": no command runs',
      source: at("security"),
      verdict: "deny",
      because: `runs commands, and ${at("security")} = "deny"`,
      remedies: [set(layer, "security", "allowlist"), ...openings(layer, command, command?.commands ?? [])],
    });
  }
  if (security === "allowlist") findings.push(evaluateGate(layer, command, { ask, spares, missing }));
  else if (missing !== undefined && security !== "deny") findings.push(uncontained(layer, missing));
  if (ask === "always") {
    const because = `needs approval for every command (${at("ask")} = "always")`;
    findings.push({
      layer: "exec",
      rule: 'ask "always": every command needs approval',
      source: at("ask"),
      verdict: "ask",
      because,
      everyTime: `${at("ask")} = "always"`,
      remedies: [set(layer, "ask", security === "allowlist" ? "on-miss" : "off")],
    });
  }
  // Tools may also have calls without commands.
  if (subjects !== undefined || isCommandEachTime(tool)) return findings;
  return findings.map((finding) => {
    const { verdict } = finding;
    return verdict === "deny" || verdict === "ask" ? { ...finding, toSome: verdict } : finding;
  });
}

/** Whether every call runs a command on this machine. False for tools with actions or nodes. */
function isCommandEachTime({ builtIn, actions, effects }: ToolFacts): boolean {
  return builtIn && actions === undefined && !effects.includes("network");
}

type Missing = NonNullable<ReturnType<typeof findMissingContainment>>;

/** A person decides about uncontained commands. */
function uncontained(layer: ExecLayer, { why, key }: Missing): Finding {
  const source = formatSource(layer.document, key);
  const wanted = key.at(-1) === "containment";
  return {
    layer: "exec",
    rule: `containment is required, but ${why}: every command needs approval`,
    source,
    verdict: "ask",
    because: `needs approval: it must run contained (${source}), but ${why}`,
    ...(wanted ? { remedies: [set(layer, "containment", "none")] } : {}),
  };
}

function evaluateGate(
  layer: ExecLayer,
  command: CommandSubject | undefined,
  { ask, spares, missing }: Omit<ReturnType<typeof rulesIn>, "security">,
): Finding {
  const { document, list, gate } = layer;
  const source = formatSource(document, gate);
  const base = { layer: "exec", source };
  if (spares) {
    const rule = "only listed commands and safe bins: other commands are contained and need no approval";
    return { ...base, rule, verdict: "pass", because: "is contained" };
  }
  const misses = command?.commands.filter((each) => !admitsCommand(list, each)) ?? [];
  const missed = describeMiss(command, misses, [list]);
  if (missed === undefined) {
    const note = missing === undefined ? "" : ` (${missing.why})`;
    const rule = `only listed commands and safe bins: all are listed${note}`;
    return { ...base, rule, verdict: "allow", because: `only runs what ${source} lists` };
  }
  const why = missing === undefined ? missed : `${missing.why}, so the list decides, and ${missed}`;
  const rule = `only listed commands and safe bins: ${why}`;
  const verdict = ask === "off" ? "deny" : "ask";
  const because = `${verdict === "deny" ? "is denied" : "needs approval"} by ${source}: ${why}`;
  const remedies = openings(layer, command, misses, ask);
  return withoutUndefined<Finding>({
    ...base,
    rule,
    verdict,
    because,
    toSome: command === undefined ? verdict : undefined,
    remedies: remedies.length > 0 ? remedies : undefined,
  });
}

/** Returns the smallest changes that allow these commands, or require approval if they cannot be listed. */
function openings(
  layer: ExecLayer,
  command: CommandSubject | undefined,
  misses: readonly PlannedCommand[],
  ask = layer.ask,
): Change[] {
  const patterns = misses.map(exactCommandPattern);
  const clear = command !== undefined && command.unclear === undefined && patterns.length > 0;
  if (clear && patterns.every((pattern) => pattern !== undefined)) {
    return [...new Set(patterns)].map((entry) => {
      return { op: "add", owner: layer.document.owner, list: [...layer.path, "allow"], entry };
    });
  }
  return ask === "off" ? [set(layer, "ask", "on-miss")] : [];
}

function set({ document, path }: ExecLayer, key: string, value: string): Change {
  return { op: "set", owner: document.owner, key: [...path, key], value };
}

/** The call itself requests these limits. They only tighten. */
export function evaluateRequestedLimits(command: CommandSubject, layers: readonly ExecLayer[]): Finding[] {
  const findings: Finding[] = [];
  const add = (rule: string, verdict: Finding["verdict"], because: string): void => {
    findings.push({ layer: "exec", source: "the call", rule, verdict, because });
  };
  if (command.security === "deny")
    add('security "deny": no command runs', "deny", 'requests security "deny"');
  if (command.security === "allowlist") {
    // A workspace list only restricts.
    const gates = layers
      .filter(({ security, document }) => security === "allowlist" && !isWorkspaceDocument(document))
      .map(({ list }) => list);
    const lists = gates.length > 0 ? gates : [compileCommandList({})];
    const misses = command.commands.filter((each) => !lists.some((list) => admitsCommand(list, each)));
    const why = describeMiss(command, misses, lists);
    const rule = 'security "allowlist": only listed commands';
    if (why === undefined) add(rule, "allow", "is on the list");
    else if (command.ask === "on-miss" || command.ask === "always")
      add(rule, "ask", `needs approval, as the call requests: ${why}`);
    else add(rule, "deny", `requests listed commands only: ${why}`);
  }
  if (command.ask === "always") {
    findings.push({
      layer: "exec",
      source: "the call",
      rule: 'ask "always": every command needs approval',
      verdict: "ask",
      because: "needs approval, as the call requests",
      everyTime: "the call requests it",
    });
  }
  return findings;
}
