import { isObject, asRecord } from "@haft/utils";
import { prefixRules } from "./codex-rules.ts";
import { commandSelectors, toProgramPatterns } from "./command-patterns.ts";
import { WRITE_TOOLS } from "./path-patterns.ts";
import { type RuleSource, PolicyDraft } from "./policy-draft.ts";
import { parseTomlWithLines } from "./toml.ts";

const MAX = 64;

export function importCodex(files: readonly { file: string; text: string }[]): PolicyDraft {
  const draft = new PolicyDraft("codex");
  draft.commands = "ask";
  for (const { file, text } of files.filter((each) => !each.file.endsWith(".rules")))
    settings(draft, file, text);
  for (const { file, text } of files.filter((each) => each.file.endsWith(".rules"))) rules(draft, file, text);
  return draft;
}

function settings(draft: PolicyDraft, file: string, text: string): void {
  const { value, key: placed, table } = parseTomlWithLines(text, file);
  const key = (name: string): RuleSource =>
    Object.hasOwn(value, name) ? placed(name) : { file, text: `default of Codex for ${name}` };
  const { approval_policy: approval = "on-request", sandbox_mode: sandbox = "read-only" } = value;
  const never = approval === "never";
  const known = ["on-request", "on-failure", "never"].includes(String(approval));
  const isFull = sandbox === "danger-full-access";
  const isWorkspace = sandbox === "workspace-write" || isFull;
  if (!known)
    draft.skip(
      key("approval_policy"),
      "Codex asks about all commands that are not known as harmless, so the policy asks about every command",
    );
  draft.commands = known ? "allow" : "ask";
  if (!isWorkspace) draft.restrict(never ? "deny" : "ask", WRITE_TOOLS, WRITE_TOOLS, key("sandbox_mode"));
  if (!isFull) {
    const limit = isWorkspace
      ? "commands can write to the workspace only"
      : `commands cannot write${Object.hasOwn(value, "sandbox_mode") ? "" : ", or only to the workspace in a trusted project"}`;
    draft.skip(
      key("sandbox_mode"),
      `${limit}, because of the sandbox of Codex; exec.containment does the same for sessions of Haft`,
    );
  }
  if (isFull && approval !== "never" && known)
    draft.skip(
      key("approval_policy"),
      "the model chooses when to ask, so the policy asks about none of these calls",
    );
  if (isObject(value["profiles"]))
    draft.skip(
      table("profiles[^\\]]*", 0),
      "a profile is selected at the start of Codex; import a file that contains its values",
    );
  for (const [name, server] of Object.entries(asRecord(value["mcp_servers"]))) {
    const { disabled_tools: off, enabled_tools: on, enabled } = asRecord(server);
    const from = table(`mcp_servers\\."?${name}"?`, 0);
    const all = [`mcp(${name}/*)`];
    const without = Array.isArray(off) ? off.map((tool) => `mcp(${name}/${String(tool)})`) : undefined;
    if (without !== undefined) draft.restrict("deny", without, all, from);
    if (on !== undefined) draft.restrict("ask", [], all, from);
    if (enabled === false) draft.restrict("deny", all, all, from);
  }
}

function rules(draft: PolicyDraft, file: string, text: string): void {
  const { rules: found, unread } = prefixRules(text, file);
  for (const from of unread) draft.restrict("ask", [], ["exec"], from);
  for (const { words, decision, from } of found) {
    const prefixes = multiplied(words);
    if (prefixes === undefined) {
      if (decision !== "allow") draft.restrict("ask", [], programsOf(words[0] ?? []), from);
      else draft.skip(from, "it has too many alternatives, so it is not allowed");
      continue;
    }
    const patterns = prefixes.flatMap((prefix) =>
      prefix.includes(" ") ? [prefix, `${prefix} *`] : [`${prefix} *`],
    );
    if (decision === "allow") allowed(draft, patterns, from);
    else
      draft.restrict(
        decision === "prompt" ? "ask" : "deny",
        commandSelectors(patterns),
        programsOf(words[0] ?? []),
        from,
      );
  }
}

function allowed(draft: PolicyDraft, patterns: readonly string[], from: RuleSource): void {
  if (draft.commands === "ask") draft.allowCommands(patterns, from);
  // Codex itself asks about commands outside the sandbox.
  else draft.skip(from, "it lets commands leave the sandbox of Codex, which the policy does not control");
}

function programsOf(first: readonly string[]): string[] {
  return [...new Set(first.flatMap((word) => toProgramPatterns(word)))];
}

function multiplied(words: readonly (readonly string[])[]): string[] | undefined {
  let all = [""];
  for (const alternatives of words) {
    all = all.flatMap((before) =>
      alternatives.map((word) => `${before}${before === "" ? "" : " "}${quoted(word)}`),
    );
    if (all.length > MAX) return undefined;
  }
  return all;
}

function quoted(word: string): string {
  if (word === "" || /[\s']/.test(word))
    return `'${word.replaceAll("'", String.raw`'\''`)}'`.replaceAll("*", String.raw`\*`);
  return word.replaceAll(/[*\\;&|<>()`$"]|\{(?=[^{}]*,)|^[~#]/g, String.raw`\$&`);
}
