import type { SessionFacts } from "@haft/core";
import type { ProfileName } from "../patterns/profiles.ts";
import { type Document, formatSource } from "../read/document.ts";
import {
  type PolicyConfig,
  type PolicyMode,
  type RuleList,
  type ScopePart,
  scopeParts,
  type SessionRules,
} from "../read/policy-config.ts";
import type { KeyPath } from "../read/problems.ts";
import { keysFor, type SenderKey, validSenderKey } from "../read/sender-key.ts";
import { compileExec, type ExecLayer } from "./exec-rules.ts";
import type { CompileContext, CompiledList, Finding, ScopeLists } from "./rule.ts";
import { compileList } from "./rules.ts";

export interface Scope extends ScopeLists {
  readonly id: string;
  readonly path: KeyPath;
  readonly rules: SessionRules;
  readonly profile: { readonly name: ProfileName; readonly hit: Finding; readonly miss: Finding } | undefined;
  readonly exec: ExecLayer | undefined;
}

export interface Scopes {
  readonly document: Document;
  readonly mode: PolicyMode;
  readonly root: Scope;
  readonly parts: Readonly<Record<ScopePart, ReadonlyMap<string, Scope>>>;
  readonly senders: readonly (SenderKey & { readonly scope: Scope })[];
  readonly subagents: Scope | undefined;
  /** If false, sessions skip the check. */
  readonly hasContainment: boolean;
}

export function compileScopes(config: PolicyConfig, context: CompileContext): Scopes {
  const compile = (rules: SessionRules, path: KeyPath) => compileScope(rules, path, context);
  const each = (part: ScopePart) =>
    new Map(Object.entries(config[part] ?? {}).map(([key, rules]) => [key, compile(rules, [part, key])]));
  const root = compile(config, []);
  const parts = Object.fromEntries(
    scopeParts.map((part) => [part, each(part)]),
  ) as unknown as Scopes["parts"];
  const senders = [...parts.senders].flatMap(([text, scope]) =>
    validSenderKey(text).map((key) => ({ ...key, scope })),
  );
  const subagents = config.subagents && compile(config.subagents, ["subagents"]);
  const all = [root, subagents, ...Object.values(parts).flatMap((byKey) => [...byKey.values()])];
  const contains = all.some((scope) => scope?.exec?.containment?.mode !== undefined);
  return {
    document: context.document,
    mode: config.mode ?? "enforce",
    root,
    parts,
    senders,
    subagents,
    hasContainment: contains,
  };
}

export function listSessionScopes({ root, parts, senders, subagents }: Scopes, facts: SessionFacts): Scope[] {
  const layers = [root];
  const add = (scope: Scope | undefined) => scope !== undefined && layers.push(scope);
  add(parts.sessions.get(facts.kind));
  if (parts.models.size > 0) for (const key of modelKeys(facts.model)) add(parts.models.get(key));
  add(parts.agents.get(facts.agentId));
  add(parts.channels.get(facts.messageChannel));
  if (facts.groupId !== undefined) add(parts.groups.get(facts.groupId));
  if (senders.length > 0) for (const { scope } of keysFor(senders, facts)) add(scope);
  if (facts.parent !== undefined) add(subagents);
  return layers;
}

/** `provider/model` also matches its provider and its name. */
function modelKeys(model: string): string[] {
  const slash = model.indexOf("/");
  return slash < 0 ? [model] : [...new Set([model.slice(0, slash), model.slice(slash + 1), model])];
}

function compileScope(rules: SessionRules, path: KeyPath, context: CompileContext): Scope {
  const { document } = context;
  const list = (name: RuleList): CompiledList | undefined => {
    const entries = rules[name];
    return entries && compileList(name, entries, path, context);
  };
  const lists = { grant: list("grant"), deny: list("deny"), ask: list("ask"), allow: list("allow") };
  context.checks?.lists(lists, context);
  return {
    ...lists,
    id: `${document.owner}${JSON.stringify(path)}`,
    path,
    rules,
    profile: rules.profile && profileFindings(rules.profile, path, document),
    exec: rules.exec && compileExec(rules.exec, [...path, "exec"], document),
  };
}

function profileFindings(
  name: ProfileName,
  scope: KeyPath,
  document: Document,
): NonNullable<Scope["profile"]> {
  const source = formatSource(document, [...scope, "profile"]);
  const base = { layer: "profile", rule: `profile "${name}"`, source };
  return {
    name,
    hit: { ...base, verdict: "allow", because: `belongs to ${source} = "${name}"` },
    miss: {
      ...base,
      verdict: "deny",
      because: `does not belong to ${source} = "${name}"`,
      remedies: [{ op: "widen", owner: document.owner, scope, profile: name }],
    },
  };
}
