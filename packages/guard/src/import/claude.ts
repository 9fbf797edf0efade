import { isObject } from "@haft/utils";
import { homedir } from "node:os";
import { dirname } from "node:path";
import {
  commandSelectors,
  restrictingPatterns,
  allowingPatterns,
  prefixPatterns,
  toProgramPatterns,
} from "./command-patterns.ts";
import { parseJsonWithLines, readTexts } from "./json-lines.ts";
import { WRITE_TOOLS, ignorePaths, pathSelectors, READ_TOOLS } from "./path-patterns.ts";
import { type RuleSource, PolicyDraft } from "./policy-draft.ts";

const LISTS = ["deny", "ask", "allow"] as const;
const TOUCHES_FILES =
  /^(?:cat|head|tail|less|more|sed|awk|grep|rg|egrep|fgrep|nl|tac|wc|cp|mv|rm|touch|tee|find|ls|diff|sort|cut)(?: |$)/;
const SHELLS = new Set(["Bash", "PowerShell", "Monitor"]);

/** `deny` precedes `ask`, which precedes `allow`. */
export function importClaude(text: string, file: string): PolicyDraft {
  const draft = new PolicyDraft("claude");
  const { value, at } = parseJsonWithLines(text, file);
  const { permissions = {} } = value;
  if (!isObject(permissions)) throw new Error("permissions is not an object");
  const { defaultMode } = permissions;
  const isFree = defaultMode === "bypassPermissions";
  const rules = LISTS.flatMap((list) =>
    readTexts(permissions[list], (index) =>
      draft.skip(at(["permissions", list, index]), "it is not a text, so Claude ignores it"),
    ).map(([rule, index]) => ({ list, rule, from: at(["permissions", list, index]) })),
  );
  const isWhole = (name: string) =>
    isFree || rules.some(({ list, rule }) => list === "allow" && rule === name);
  const hasPaths = rules.some(({ list, rule }) => list !== "allow" && /^(?:Read|Edit|Write)\(/.test(rule));
  draft.commands = isWhole("Bash") ? "allow" : "ask";
  for (const { list, rule, from } of rules) {
    if (list === "allow") opened(draft, rule, from, { isFree, hasPaths });
    else held(draft, list, rule, from);
  }
  // Claude asks about everything without a rule.
  const base: RuleSource = { file, text: "questions of Claude by default" };
  const defaults = [
    ...(isWhole("Edit") ? [] : ["edit", "apply_patch", "claude/NotebookEdit"]),
    ...(isWhole("Write") || isWhole("Edit") ? [] : ["write"]),
    ...(isWhole("WebFetch") ? [] : ["web_fetch"]),
    ...(isWhole("WebSearch") ? [] : ["claude/WebSearch"]),
    ...(isFree ? [] : ["mcp(*/*)"]),
  ];
  if (defaults.length > 0) draft.restrict("ask", defaults, [], base);
  if (typeof defaultMode === "string" && !["default", "bypassPermissions"].includes(defaultMode))
    draft.skip(at(["permissions", "defaultMode"]), "the policy uses the default mode of Claude");
  draft.skip(base, "Claude itself still asks about reads outside the project and controls its sandbox");
  return draft;
}

function held(draft: PolicyDraft, list: "deny" | "ask", rule: string, from: RuleSource): void {
  const parsed = /^([\w*-]+)(?:\((.*)\))?$/s.exec(rule.trim());
  if (parsed === null) return draft.restrict(list, [], ["*"], from);
  const [, name = "", inner] = parsed;
  const isWhole = inner === undefined || inner === "" || inner === "*";
  if (name === "*") return draft.restrict(list, ["*"], ["*"], from);
  if (SHELLS.has(name)) {
    if (isWhole) return draft.restrict(list, ["exec"], ["exec"], from);
    return draft.restrict(
      list,
      commandSelectors(patternsOf(inner)),
      toProgramPatterns(inner.replace(/:\*$/, "")),
      from,
    );
  }
  const files =
    name === "Read" || name === "Glob" || name === "Grep" || name === "LS"
      ? READ_TOOLS
      : isChange(name)
        ? WRITE_TOOLS
        : undefined;
  if (files !== undefined) {
    if (isWhole) return draft.restrict(list, toolsOf(name), toolsOf(name), from);
    const paths = ignorePaths(inner, homedir());
    // A leading slash refers to the folder of the settings.
    const there =
      inner.startsWith("/") && !inner.startsWith("//")
        ? ignorePaths(`/${dirname(from.file)}${inner}`, homedir())
        : [];
    const entries =
      paths === undefined || there === undefined ? [] : pathSelectors(files, [...paths, ...there]);
    return draft.restrict(list, entries, files, from);
  }
  if (name === "WebFetch") {
    const host = /^domain:([\w.*-]+)$/.exec(inner ?? "")?.[1];
    if (isWhole) return draft.restrict(list, ["web_fetch"], ["web_fetch"], from);
    const hosts = host === undefined ? [] : host.startsWith("*.") ? [host] : [host, `*.${host}`];
    return draft.restrict(
      list,
      hosts.map((each) => `web_fetch(host:${each})`),
      ["web_fetch"],
      from,
    );
  }
  if (name.startsWith("mcp__")) {
    const [, server = "*", ...tool] = name.split("__");
    const named = `mcp(${server}/${tool.length === 0 ? "*" : tool.join("__")})`;
    // Server names can contain the separator.
    const whole = tool.length > 1 ? [`mcp(${server}__${tool[0]}/${tool.slice(1).join("__")})`] : [];
    return draft.restrict(list, isWhole ? [named, ...whole] : [], [`mcp(${server}/*)`], from);
  }
  draft.restrict(list, isWhole ? [`claude/${name}`] : [], [`claude/${name.replaceAll("*", "")}`], from);
}

function opened(
  draft: PolicyDraft,
  rule: string,
  from: RuleSource,
  { isFree, hasPaths }: { isFree: boolean; hasPaths: boolean },
): void {
  const [, name = "", inner] = /^([\w*-]+)(?:\((.*)\))?$/s.exec(rule.trim()) ?? [];
  if (isFree || inner === undefined) {
    const isExpressed =
      isFree ||
      ["Bash", "Edit", "Write", "WebFetch", "WebSearch", "Read", "Glob", "Grep", "LS"].includes(name);
    if (!isExpressed)
      draft.skip(from, "it allows calls about which the policy always asks; ask rules have no exceptions");
    return;
  }
  if (name !== "Bash") {
    if (!["Read", "Glob", "Grep", "LS"].includes(name))
      draft.skip(
        from,
        "it allows some of the calls about which the policy asks; ask rules have no exceptions",
      );
    return;
  }
  const prefix = inner.endsWith(":*") ? inner.slice(0, -2) : undefined;
  const patterns = prefix === undefined ? allowingPatterns(inner) : allowingPatterns(`${prefix} *`);
  if (!Array.isArray(patterns)) return draft.skip(from, `${patterns.why}, so it is not allowed`);
  if (hasPaths && inner.includes("*") && TOUCHES_FILES.test(inner.replace(/:\*$/, "")))
    return draft.skip(
      from,
      "a rule restricts paths, which Claude also compares with the files of this command, so it is not allowed",
    );
  draft.allowCommands(patterns, from);
}

function patternsOf(inner: string): string[] {
  return inner.endsWith(":*") ? prefixPatterns(inner.slice(0, -2)) : restrictingPatterns(inner);
}

function isChange(name: string): boolean {
  return name === "Edit" || name === "Write" || name === "MultiEdit" || name === "NotebookEdit";
}

function toolsOf(name: string): string[] {
  const whole: Readonly<Record<string, string[]>> = {
    Read: READ_TOOLS,
    Glob: ["find"],
    Grep: ["grep"],
    LS: ["ls"],
    Edit: [...WRITE_TOOLS, "claude/NotebookEdit"],
    NotebookEdit: ["claude/NotebookEdit"],
  };
  return whole[name] ?? WRITE_TOOLS;
}
