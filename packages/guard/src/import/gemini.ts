import { isObject, asRecord } from "@haft/utils";
import { commandSelectors, allowingPatterns, prefixPatterns, toProgramPatterns } from "./command-patterns.ts";
import { parseJsonWithLines, readTexts } from "./json-lines.ts";
import { type RuleSource, PolicyDraft } from "./policy-draft.ts";
import { parseTomlWithLines } from "./toml.ts";

const TOOLS: Readonly<Record<string, string>> = {
  run_shell_command: "exec",
  ShellTool: "exec",
  read_file: "read",
  ReadFileTool: "read",
  read_many_files: "read",
  ReadManyFilesTool: "read",
  write_file: "write",
  WriteFileTool: "write",
  replace: "edit",
  EditTool: "edit",
  list_directory: "ls",
  LSTool: "ls",
  glob: "find",
  GlobTool: "find",
  grep_search: "grep",
  search_file_content: "grep",
  GrepTool: "grep",
  web_fetch: "web_fetch",
  WebFetchTool: "web_fetch",
};
const UNMAPPED = ["google_web_search", "save_memory", "invoke_agent", "activate_skill"];
const AS_A_WHOLE = "it allows calls about which the policy always asks; ask rules have no exceptions";
const ASK_BY_DEFAULT = ["write", "edit", "web_fetch", "gemini/save_memory", "mcp(*/*)"];

/** The rule (`.toml`) with the highest priority decides. */
export function importGemini(files: readonly { file: string; text: string }[]): PolicyDraft {
  const draft = new PolicyDraft("gemini");
  for (const { file, text } of files) {
    if (file.endsWith(".toml")) policies(draft, file, text);
    else settings(draft, file, text);
  }
  const [{ file } = { file: "settings.json" }] = files;
  const base: RuleSource = { file, text: "questions of Gemini CLI by default" };
  draft.restrict("ask", ASK_BY_DEFAULT, [], base);
  return draft;
}

function settings(draft: PolicyDraft, file: string, text: string): void {
  const { value, at } = parseJsonWithLines(text, file);
  const lists = [
    ["core", ["tools", "core"]],
    ["exclude", ["tools", "exclude"]],
    ["allowed", ["tools", "allowed"]],
    ["core", ["coreTools"]],
    ["exclude", ["excludeTools"]],
    ["allowed", ["allowedTools"]],
  ] as const;
  for (const [list, path] of lists) {
    const given = path.reduce<unknown>((inner, key) => asRecord(inner)[key], value);
    const skipText = (index: number) =>
      draft.skip(at([...path, index]), "it is not a text, so Gemini CLI ignores it");
    const rules = readTexts(given, skipText);
    const names = rules.map(([rule]) => rule);
    if (list === "core" && given !== undefined) core(draft, names, at(path));
    for (const [rule, index] of rules) {
      if (list === "exclude") excluded(draft, rule, at([...path, index]));
      if (list === "allowed") allowed(draft, rule, at([...path, index]));
    }
  }
  const { excluded: without, allowed: only } = asRecord(value["mcp"]);
  for (const [name, index] of readTexts(without, () => {}))
    draft.restrict("deny", [`mcp(${name}/*)`], ["mcp(*/*)"], at(["mcp", "excluded", index]));
  if (only !== undefined) draft.restrict("ask", [], ["mcp(*/*)"], at(["mcp", "allowed"]));
  for (const [name, server] of Object.entries(asRecord(value["mcpServers"]))) {
    const { excludeTools, includeTools, trust } = asRecord(server);
    const all = [`mcp(${name}/*)`];
    const sourceAt = (...path: (string | number)[]) => at(["mcpServers", name, ...path]);
    for (const [tool, index] of readTexts(excludeTools, () => {}))
      draft.restrict("deny", [`mcp(${name}/${tool})`], all, sourceAt("excludeTools", index));
    if (includeTools !== undefined) draft.restrict("ask", [], all, sourceAt("includeTools"));
    if (trust === true) draft.skip(sourceAt("trust"), AS_A_WHOLE);
  }
}

function core(draft: PolicyDraft, rules: readonly string[], from: RuleSource): void {
  const named = new Set(rules.map((rule) => rule.split("(", 1)[0] ?? ""));
  const there = new Set([...named].map((name) => TOOLS[name]));
  const others = [...new Set(Object.values(TOOLS))].filter((tool) => !there.has(tool));
  const unmapped = UNMAPPED.filter((name) => !named.has(name)).map((name) => `gemini/${name}`);
  draft.restrict("deny", [...others, ...unmapped], ["*"], from);
  if (others.includes("edit")) draft.restrict("deny", ["apply_patch"], ["apply_patch"], from);
}

function excluded(draft: PolicyDraft, rule: string, from: RuleSource): void {
  const [, name = "", inner] = /^([\w.-]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  if (name === "") return draft.restrict("deny", [], ["*"], from);
  if (inner !== undefined && inner !== "" && TOOLS[name] === "exec")
    return draft.restrict("deny", commandSelectors(prefixPatterns(inner)), toProgramPatterns(inner), from);
  const entries = selectorsOf(name);
  draft.restrict("deny", inner === undefined || inner === "" ? entries : [], entries, from);
}

function allowed(draft: PolicyDraft, rule: string, from: RuleSource): void {
  const [, name = "", inner] = /^([\w.-]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  if (TOOLS[name] === "exec") {
    if (inner === undefined || inner === "")
      draft.skip(from, "it would allow every command; set exec.security: full yourself if you want this");
    else allowedPrefix(draft, inner, from);
  } else if (!["read", "ls", "find", "grep"].includes(TOOLS[name] ?? "")) draft.skip(from, AS_A_WHOLE);
}

function allowedPrefix(draft: PolicyDraft, prefix: string, from: RuleSource): void {
  const patterns = allowingPatterns(`${prefix.trim()} *`);
  if (!Array.isArray(patterns)) draft.skip(from, `${patterns.why}, so it is not allowed`);
  else if (prefix.includes("*"))
    draft.skip(from, "its star is not a wildcard in Gemini CLI, so it is not allowed");
  else draft.allowCommands(patterns, from);
}

function policies(draft: PolicyDraft, file: string, text: string): void {
  const { value, table } = parseTomlWithLines(text, file);
  const rules = Array.isArray(value["rule"]) ? value["rule"] : [];
  for (const [index, rule] of rules.entries()) {
    const from = table("rule", index);
    if (isObject(rule))
      policyRule(draft, rule, {
        ...from,
        text: JSON.stringify(rule, (_key, each: unknown) => (typeof each === "bigint" ? Number(each) : each)),
      });
  }
}

const NARROWS = ["argsPattern", "commandRegex", "modes", "subagent", "interactive", "toolAnnotations"];

function policyRule(draft: PolicyDraft, rule: Record<string, unknown>, from: RuleSource): void {
  const { decision, commandPrefix, mcpName } = rule;
  const names = [
    rule["toolName"] ??
      (commandPrefix === undefined && rule["commandRegex"] === undefined ? "*" : "run_shell_command"),
  ]
    .flat()
    .map(String);
  const narrow = NARROWS.find((key) => rule[key] !== undefined);
  const prefixes =
    commandPrefix === undefined
      ? undefined
      : readTexts(commandPrefix, () => {}).map(([prefix]) => prefix.trim());
  if (decision === "allow") {
    if (narrow !== undefined) return draft.skip(from, `${narrow} cannot be expressed, so it is not allowed`);
    if (prefixes !== undefined) return prefixes.forEach((prefix) => allowedPrefix(draft, prefix, from));
    return names.forEach((name) => allowed(draft, name, from));
  }
  const list = decision === "deny" ? "deny" : "ask";
  const entries =
    typeof mcpName === "string" ? names.map((name) => `mcp(${mcpName}/${name})`) : names.flatMap(selectorsOf);
  // Applies to all modes and arguments.
  const patterns =
    narrow === undefined || narrow === "modes" || narrow === "interactive" || narrow === "subagent";
  if (prefixes !== undefined && prefixes.length > 0)
    return draft.restrict(
      list,
      patterns ? prefixes.flatMap((prefix) => commandSelectors(prefixPatterns(prefix))) : [],
      prefixes.flatMap(toProgramPatterns),
      from,
    );
  draft.restrict(list, patterns ? entries : [], entries, from);
}

function selectorsOf(name: string): string[] {
  const known = TOOLS[name];
  if (name === "*") return ["*"];
  if (known !== undefined) return known === "edit" || known === "write" ? [known, "apply_patch"] : [known];
  if (name === "mcp_*") return ["mcp(*/*)"];
  const [server, tool] = name.startsWith("mcp_")
    ? splitOnce(name.slice("mcp_".length), "_")
    : splitOnce(name, "__");
  if (tool !== undefined)
    return [
      `mcp(${server}/${tool})`,
      ...(name.startsWith("mcp_") ? [`mcp(*/${tool.split("_").at(-1)})`] : []),
    ];
  return [`gemini/${name}`];
}

function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)];
}
