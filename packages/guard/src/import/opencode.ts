import { isObject, asRecord } from "@haft/utils";
import { homedir } from "node:os";
import {
  commandSelectors,
  restrictingPatterns,
  allowingPatterns,
  toProgramPatterns,
} from "./command-patterns.ts";
import { parseJsonWithLines } from "./json-lines.ts";
import { WRITE_TOOLS, restrictingPaths, pathSelectors } from "./path-patterns.ts";
import { type DefaultEffect, type RuleSource, PolicyDraft } from "./policy-draft.ts";

type Path = readonly (string | number)[];

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  bash: ["exec"],
  read: ["read"],
  edit: WRITE_TOOLS,
  write: ["write"],
  patch: ["apply_patch"],
  glob: ["find"],
  grep: ["grep"],
  list: ["ls"],
  webfetch: ["web_fetch"],
  websearch: ["opencode/websearch"],
  codesearch: ["opencode/codesearch"],
  task: ["opencode/task"],
  skill: ["opencode/skill"],
  todowrite: ["opencode/todowrite"],
  todoread: ["opencode/todoread"],
};
const PATHS = new Set(["read", "edit", "write", "patch", "glob", "grep", "list"]);
const ACTIONS = ["allow", "ask", "deny"] as const;
const UNMAPPED = ["external_directory", "doom_loop"];

/** In opencode, the last match decides. Here, every restriction counts, so the policy is at least as strict. */
export function importOpencode(text: string, file: string): PolicyDraft {
  const draft = new PolicyDraft("opencode");
  draft.commands = "allow";
  const { value, at } = parseJsonWithLines(text, file);
  permissions(draft, value["permission"], ["permission"], at);
  const { tools, agent, mode } = value;
  for (const [name, isOn] of Object.entries(asRecord(tools)))
    if (isOn === false) whole(draft, name, "deny", at(["tools", name]));
  for (const [key, group] of [
    ["agent", agent],
    ["mode", mode],
  ] as const)
    for (const [name, one] of Object.entries(asRecord(group))) ofAgent(draft, one, [key, name], at);
  const base: RuleSource = { file, text: "restrictions of opencode by default" };
  draft.restrict(
    "ask",
    ["read(path:**/.env)", "read(path:**/*.env)", "read(path:**/*.env.*)"],
    ["read"],
    base,
  );
  draft.skip(base, "opencode itself still asks about folders outside the project and about repeated calls");
  return draft;
}

function permissions(draft: PolicyDraft, given: unknown, path: Path, at: (path: Path) => RuleSource): void {
  if (given === undefined) return;
  const all = actionOf(given);
  if (all !== undefined) return byDefault(draft, all, at(path));
  if (!isObject(given)) return draft.restrict("ask", [], ["*"], at(path));
  for (const [name, rule] of Object.entries(given)) {
    const here = [...path, name];
    const action = actionOf(rule);
    if (name === "*") byDefault(draft, action ?? "ask", at(here));
    else if (UNMAPPED.includes(name)) draft.skip(at(here), "opencode itself still asks about it");
    else if (action !== undefined) whole(draft, name, action, at(here));
    else if (isObject(rule)) patterns(draft, name, rule, here, at);
    else draft.restrict("ask", [], selectorsOf(name), at(here));
  }
}

/** It becomes a question for all agents of opencode. */
function ofAgent(draft: PolicyDraft, one: unknown, path: Path, at: (path: Path) => RuleSource): void {
  if (!isObject(one)) return;
  const { permission, tools } = one;
  const askAbout = (name: string, from: RuleSource) =>
    draft.restrict("ask", [], name === "*" ? ["*"] : selectorsOf(name), from);
  const strict = (rule: unknown): boolean =>
    isObject(rule) ? Object.values(rule).some(strict) : rule !== "allow" && rule !== undefined;
  if (permission !== undefined && !isObject(permission)) {
    if (strict(permission)) askAbout("*", at([...path, "permission"]));
  } else
    for (const [name, rule] of Object.entries(permission ?? {}))
      if (strict(rule) && !UNMAPPED.includes(name)) askAbout(name, at([...path, "permission", name]));
  for (const [name, isOn] of Object.entries(asRecord(tools)))
    if (isOn === false) askAbout(name, at([...path, "tools", name]));
}

function byDefault(draft: PolicyDraft, action: DefaultEffect, from: RuleSource): void {
  if (action === "allow") return;
  const entries = [...new Set([...Object.values(TOOLS).flat(), "mcp(*/*)"])].filter(
    (entry) => entry !== "exec",
  );
  draft.commands = action;
  draft.restrict(action, entries, ["*"], from);
}

function whole(draft: PolicyDraft, name: string, action: DefaultEffect, from: RuleSource): void {
  if (name === "bash") draft.commands = action;
  else if (action !== "allow") draft.restrict(action, selectorsOf(name), ["*"], from);
}

function patterns(
  draft: PolicyDraft,
  name: string,
  rules: Record<string, unknown>,
  path: Path,
  at: (path: Path) => RuleSource,
): void {
  const entries = Object.entries(rules);
  const last = entries.findLastIndex(([pattern]) => pattern === "*");
  for (const [index, [pattern, given]] of entries.entries()) {
    const from = at([...path, pattern]);
    const action = actionOf(given) ?? "ask";
    if (pattern === "*") {
      // The last `*` decides about other commands.
      if (index === last) whole(draft, name, action, from);
    } else if (action !== "allow") heldBack(draft, name, { pattern, action }, from);
    else if (index < last) draft.skip(from, "a later * overrides it");
    else letThrough(draft, name, pattern, from);
  }
}

function heldBack(
  draft: PolicyDraft,
  name: string,
  { pattern, action }: { pattern: string; action: "ask" | "deny" },
  from: RuleSource,
): void {
  if (name === "bash")
    return draft.restrict(
      action,
      commandSelectors(restrictingPatterns(pattern)),
      toProgramPatterns(pattern),
      from,
    );
  const tools = selectorsOf(name);
  if (!PATHS.has(name)) return draft.restrict(action, [], tools, from);
  const paths = restrictingPaths(pattern, homedir());
  draft.restrict(action, paths === undefined ? [] : pathSelectors(tools, paths), tools, from);
}

function letThrough(draft: PolicyDraft, name: string, pattern: string, from: RuleSource): void {
  if (name !== "bash")
    return draft.skip(from, "it allows some of the restricted calls; restrictions have no exceptions");
  const found = allowingPatterns(pattern);
  if (!Array.isArray(found)) draft.skip(from, `${found.why}, so it is not allowed`);
  else draft.allowCommands(found, from);
}

function selectorsOf(name: string): string[] {
  const known = TOOLS[name];
  if (known !== undefined) return [...known];
  const at = name.indexOf("_");
  if (name === "*") return ["*"];
  if (at > 0) return [`mcp(${name.slice(0, at)}/${name.slice(at + 1) || "*"})`, `opencode/${name}`];
  return [`opencode/${name}`];
}

function actionOf(value: unknown): DefaultEffect | undefined {
  return ACTIONS.find((action) => action === value);
}
