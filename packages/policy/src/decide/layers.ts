import type { ContainmentFacts, SessionFacts, SessionKind, ToolFacts } from "@haft/core";
import type { SandboxFacts } from "@haft/core/internal";
import type { MatchLimits } from "../patterns/match-call.ts";
import { type Document, formatSource } from "../read/document.ts";
import { isListedSender } from "../read/sender-key.ts";
import type { CompiledPolicy } from "../rules/compile-policy.ts";
import { type ContainmentView, toContainmentView } from "../rules/containment.ts";
import { isExecEffective, inspectsCommands } from "../rules/exec-rules.ts";
import type { Finding } from "../rules/rule.ts";
import { type Scope, type Scopes, listSessionScopes } from "../rules/scopes.ts";
import type { ExecGate } from "./elevation.ts";
import { findRestrictingRules } from "./restricting-rules.ts";

export interface Layers {
  readonly facts: SessionFacts;
  readonly kind: SessionKind;
  readonly sandbox: SandboxFacts | undefined;
  readonly view: ContainmentView;
  /** Limits commands that do not leave the view or sandbox. */
  readonly limits: MatchLimits | undefined;
  readonly scopes: readonly Scope[];
  readonly notices: readonly Finding[];
  readonly parents: readonly ParentLayers[];
  readonly exec: readonly ExecGate[];
  readonly document: Document;
}

export interface ParentLayers {
  readonly kind: SessionKind;
  readonly scopes: readonly Scope[];
  readonly addedScopes: readonly Scope[];
  /** The parent's row of the session table describes the host, so it does not apply in a sandbox. */
  readonly hasTableRow: boolean;
}

/** Returns equal keys for sessions that no rule distinguishes. Runs for every session. */
export function sessionKey(compiled: CompiledPolicy, facts: SessionFacts): string {
  const { administrator, policy, workspace } = compiled;
  let key: string = facts.kind;
  if (facts.sandbox !== undefined) key += ` ${facts.sandbox.mount} ${facts.sandbox.network}`;
  if (facts.containment !== undefined) key += ` ${keyOf(facts.containment)}`;
  if (facts.guarded) key += " guarded";
  for (const scopes of [administrator, policy, ...workspace]) {
    if (scopes === undefined || scopes.mode === "off") continue;
    for (const { id, exec } of listSessionScopes(scopes, facts)) {
      key += ` ${id}`;
      if (exec?.elevated?.keys.some((sender) => isListedSender(sender, facts))) key += "+";
    }
  }
  return facts.parent === undefined ? key : `${key} < ${sessionKey(compiled, facts.parent)}`;
}

/** Quotes hosts so that keys stay unambiguous. */
function keyOf({ mode, network }: ContainmentFacts): string {
  return `${mode} ${typeof network === "string" ? network : JSON.stringify(network)}`;
}

/** @param shadow treats a document in shadow mode as enforced */
export function createLayers(compiled: CompiledPolicy, facts: SessionFacts, shadow = false): Layers {
  const { administrator, policy, workspace } = compiled;
  const holds = policy.mode === "enforce" || (shadow && policy.mode === "shadow");
  const all = (of: SessionFacts): Scope[] => [
    ...(administrator ? listSessionScopes(administrator, of) : []),
    ...(holds ? listSessionScopes(policy, of) : []),
    ...workspace.flatMap((scopes) => listSessionScopes(scopes, of)),
  ];
  const scopes = all(facts);
  const seen = new Set(scopes);
  const view = toContainmentView(facts);
  const exec = gatesOf(scopes, facts, view);
  const parents: ParentLayers[] = [];
  for (let parent = facts.parent; parent !== undefined; parent = parent.parent) {
    const parentScopes = all(parent);
    const newScopes = parentScopes.filter((scope) => !seen.has(scope));
    for (const scope of newScopes) seen.add(scope);
    exec.push(...gatesOf(newScopes, parent, view));
    // This session gets nothing that the parent lacks.
    const more = scopes.some((scope) => (scope.grant ?? scope.allow) && !parentScopes.includes(scope));
    const sameRow = parent.kind === facts.kind && !more;
    const table = !sameRow && (facts.kind !== "sandboxed" || parent.kind === "sandboxed");
    parents.push({ kind: parent.kind, scopes: parentScopes, addedScopes: newScopes, hasTableRow: table });
  }
  return {
    facts,
    kind: facts.kind,
    sandbox: facts.sandbox,
    view,
    limits: facts.sandbox ?? limitsOf(view),
    scopes,
    notices: holds ? [] : [modeNotice(policy)],
    parents,
    exec,
    document: policy.document,
  };
}

export function dependsOnCall(
  { scopes, parents, exec, view }: Layers,
  tool: ToolFacts,
): { subjects: boolean; any: boolean } {
  let any = exec.some((gate) => gate.inspectsCommands) && tool.effects.includes("execute");
  let subjects = any;
  for (const { grant, deny, allow, ask } of [
    scopes,
    ...parents.map(({ addedScopes }) => addedScopes),
  ].flat()) {
    const opening = [grant, allow].flatMap((list) => list?.findRules(tool) ?? []);
    const holding = [deny, ask].flatMap((list) => (list ? findRestrictingRules(list, tool, view) : []));
    for (const { matcher } of [...opening, ...holding]) {
      if (matcher === undefined) continue;
      any = true;
      const { action, commands, paths, hosts } = matcher;
      subjects ||= action !== undefined || commands.length + paths.length + hosts.length > 0;
    }
  }
  return { subjects, any };
}

function limitsOf({ containment, hosts }: ContainmentView): MatchLimits | undefined {
  if (containment === undefined) return undefined;
  const { mode, network } = containment;
  const mount = mode === "read-only" ? "ro" : "rw";
  return typeof network === "string" ? { mount, network } : { mount, network: "limited", hosts };
}

function gatesOf(scopes: readonly Scope[], facts: SessionFacts, view: ContainmentView): ExecGate[] {
  return scopes.flatMap(({ exec }) => {
    if (exec === undefined || !isExecEffective(exec)) return [];
    const listed = exec.elevated?.keys.some((key) => isListedSender(key, facts)) ?? false;
    return [{ layer: exec, listed, inspectsCommands: inspectsCommands(exec, view) }];
  });
}

function modeNotice({ document, mode }: Scopes): Finding {
  const rule = mode === "off" ? "its rules are ignored" : "its decisions are only reported";
  const source = formatSource(document, ["mode"]);
  return { layer: "mode", rule: `mode "${mode}": ${rule}`, source, verdict: "pass", because: "" };
}
