import { isObject, membersOf } from "@haft/core/internal";
import { prefixRules } from "./codex-rules.ts";
import { commandSelectors, programOf } from "./command-words.ts";
import { type From, PolicyDraft } from "./draft.ts";
import { CHANGING_WORDS } from "./path-words.ts";
import { placedToml } from "./toml.ts";

/** Alternatives of a rule, multiplied. */
const MOST = 64;

export function importCodex(files: readonly { file: string; text: string }[]): PolicyDraft {
  const draft = new PolicyDraft("codex");
  // Without its settings it is not known what runs without a question.
  draft.commands = "ask";
  for (const { file, text } of files.filter((each) => !each.file.endsWith(".rules")))
    settings(draft, file, text);
  for (const { file, text } of files.filter((each) => each.file.endsWith(".rules"))) rules(draft, file, text);
  return draft;
}

function settings(draft: PolicyDraft, file: string, text: string): void {
  const { value, key: placed, table } = placedToml(text, file);
  const key = (name: string): From =>
    Object.hasOwn(value, name) ? placed(name) : { file, text: `what Codex does without ${name}` };
  const { approval_policy: approval = "on-request", sandbox_mode: sandbox = "read-only" } = value;
  const never = approval === "never";
  const known = ["on-request", "on-failure", "never"].includes(String(approval));
  const isFull = sandbox === "danger-full-access";
  const isWorkspace = sandbox === "workspace-write" || isFull;
  if (!known)
    draft.leave(
      key("approval_policy"),
      "it asks about all commands that are not known to be harmless, so every command is asked about",
    );
  draft.commands = known ? "allow" : "ask";
  if (!isWorkspace) draft.hold(never ? "deny" : "ask", CHANGING_WORDS, CHANGING_WORDS, key("sandbox_mode"));
  if (!isFull) {
    const limit = isWorkspace
      ? "commands write in the workspace alone"
      : `commands write nothing${Object.hasOwn(value, "sandbox_mode") ? "" : ", or in a trusted project in the workspace alone"}`;
    draft.leave(
      key("sandbox_mode"),
      `${limit}, which Codex's own sandbox sees to; exec.containment does the same for sessions of Haft`,
    );
  }
  if (isFull && approval !== "never" && known)
    draft.leave(
      key("approval_policy"),
      "when to ask is for the model to say, and nothing of it is asked about here",
    );
  if (isObject(value["profiles"]))
    draft.leave(
      table("profiles[^\\]]*", 0),
      "profiles are chosen when Codex starts; import the file with its values in their place",
    );
  for (const [name, server] of Object.entries(membersOf(value["mcp_servers"]))) {
    const { disabled_tools: off, enabled_tools: on, enabled } = membersOf(server);
    const from = table(`mcp_servers\\."?${name}"?`, 0);
    const all = [`mcp(${name}/*)`];
    const without = Array.isArray(off) ? off.map((tool) => `mcp(${name}/${String(tool)})`) : undefined;
    if (without !== undefined) draft.hold("deny", without, all, from);
    if (on !== undefined) draft.hold("ask", [], all, from);
    if (enabled === false) draft.hold("deny", all, all, from);
  }
}

function rules(draft: PolicyDraft, file: string, text: string): void {
  const { rules: found, unread } = prefixRules(text, file);
  for (const from of unread) draft.hold("ask", [], ["exec"], from);
  for (const { words, decision, from } of found) {
    const prefixes = multiplied(words);
    if (prefixes === undefined) {
      if (decision !== "allow") draft.hold("ask", [], programsOf(words[0] ?? []), from);
      else draft.leave(from, "it has too many alternatives, so it is not let through");
      continue;
    }
    const patterns = prefixes.flatMap((prefix) =>
      prefix.includes(" ") ? [prefix, `${prefix} *`] : [`${prefix} *`],
    );
    if (decision === "allow") allowed(draft, patterns, from);
    else
      draft.hold(
        decision === "prompt" ? "ask" : "deny",
        commandSelectors(patterns),
        programsOf(words[0] ?? []),
        from,
      );
  }
}

function allowed(draft: PolicyDraft, patterns: readonly string[], from: From): void {
  if (draft.commands === "ask") draft.allowCommands(patterns, from);
  // In the sandbox all of them run; outside of it is Codex's own to ask about.
  else draft.leave(from, "it lets commands leave Codex's own sandbox, of which nothing is said here");
}

function programsOf(first: readonly string[]): string[] {
  return [...new Set(first.flatMap((word) => programOf(word)))];
}

function multiplied(words: readonly (readonly string[])[]): string[] | undefined {
  let all = [""];
  for (const alternatives of words) {
    all = all.flatMap((before) =>
      alternatives.map((word) => `${before}${before === "" ? "" : " "}${quoted(word)}`),
    );
    if (all.length > MOST) return undefined;
  }
  return all;
}

function quoted(word: string): string {
  if (word === "" || /[\s']/.test(word))
    return `'${word.replaceAll("'", String.raw`'\''`)}'`.replaceAll("*", String.raw`\*`);
  return word.replaceAll(/[*\\;&|<>()`$"]|\{(?=[^{}]*,)|^[~#]/g, String.raw`\$&`);
}
