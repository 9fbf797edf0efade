import type { Decision, SessionKind, ToolFacts, TraceStep } from "@haft/core";
import { profileCovers } from "./profiles.ts";
import type { CompiledList, Finding } from "./rules.ts";
import type { Scope } from "./scopes.ts";
import { namesTools } from "./selector.ts";
import { tableCell } from "./session-table.ts";

/** What is asked about: a kind of session and the layers that hold for it. */
export interface Layers {
  readonly kind: SessionKind;
  readonly scopes: readonly Scope[];
}

const builtInSource = "built-in session table";

/**
 * Everything the policy has to say about a tool, in order. This is the only place where rules are
 * compared with tools: decisions, explanations and fixes all come from here.
 */
export function evaluate(layers: Layers, tool: ToolFacts): Finding[] {
  const findings: Finding[] = [];
  lookAtTable(layers, tool, findings);
  if (tool.optional) lookAtOptional(layers, tool, findings);
  for (const { profile, deny, allow, ask } of layers.scopes) {
    if (profile) findings.push(profileCovers(profile.name, tool) ? profile.hit : profile.miss);
    if (deny) lookAt(deny, tool, findings);
    if (allow && !lookAt(allow, tool, findings)) findings.push(allow.miss);
    if (ask) lookAt(ask, tool, findings);
  }
  return findings;
}

/**
 * The step that decides: a rule that denies, else anything else that denies, else the first that
 * asks, else the first that allows. There always is one, since the session table gives an answer.
 */
export function decidingStep<Step extends TraceStep>(
  steps: readonly Step[],
): Step & { verdict: Decision["effect"] } {
  const deciding =
    steps.find(({ verdict, layer }) => verdict === "deny" && layer === "deny") ??
    steps.find(({ verdict }) => verdict === "deny") ??
    steps.find(({ verdict }) => verdict === "ask") ??
    steps.find(({ verdict }) => verdict === "allow");
  return deciding as Step & { verdict: Decision["effect"] };
}

function lookAtTable({ kind, scopes }: Layers, tool: ToolFacts, findings: Finding[]): void {
  const cell = tableCell(tool, kind);
  const subject = tool.builtIn ? tool.name : "plugin tools";
  const base = { layer: "sessions", source: builtInSource };
  if (cell === undefined) {
    const because = `has no cell for ${kind} sessions in the ${builtInSource}`;
    findings.push({ ...base, rule: "no cell, so not allowed", verdict: "deny", because });
    return;
  }
  const reason = `(${builtInSource}: ${cell.note})`;
  if (cell.verdict !== "grant") {
    const phrases = { allow: "is allowed in", ask: "needs approval in", deny: "is denied in" };
    const because = `${phrases[cell.verdict]} ${kind} sessions ${reason}`;
    findings.push({
      ...base,
      rule: `${subject} in ${kind} sessions: ${cell.verdict}`,
      verdict: cell.verdict,
      because,
    });
    return;
  }
  const because = `is denied in ${kind} sessions unless granted ${reason}`;
  const rule = `${subject} in ${kind} sessions: denied unless granted`;
  const pass: Finding = { ...base, rule, verdict: "pass", because };
  findings.push(pass);
  const granted = scopes.some(({ grant }) => grant && lookAt(grant, tool, findings));
  if (granted) return;
  const remedy = { op: "name", scope: ["sessions", kind], list: "grant" } as const;
  findings.push({ ...pass, layer: "grant", rule: "nothing grants it", verdict: "deny", remedy });
}

function lookAtOptional({ kind, scopes }: Layers, tool: ToolFacts, findings: Finding[]): void {
  for (const { grant, allow } of scopes) {
    for (const list of [grant, allow]) {
      const named = list?.rules.find((rule) => namesTools(rule.selector) && list.matches(rule, tool));
      if (!named) continue;
      findings.push({ ...named.hit, layer: "optional", rule: `switched on by ${named.hit.rule}` });
      return;
    }
  }
  findings.push({
    layer: "optional",
    rule: "optional tools are off until something names them",
    source: `plugin ${tool.pluginId}`,
    verdict: "deny",
    because: "is an optional tool and no rule names it",
    remedy: { op: "name", scope: ["sessions", kind], list: "grant" },
  });
}

/** Adds every rule up to the first that matches. */
function lookAt(list: CompiledList, tool: ToolFacts, findings: Finding[]): boolean {
  for (const rule of list.rules) {
    const hit = list.matches(rule, tool);
    findings.push(hit ? rule.hit : rule.pass);
    // A list that holds back is read to its end: the fix has to know every rule in the way.
    if (hit && rule.hit.verdict === "allow") return true;
  }
  return false;
}
