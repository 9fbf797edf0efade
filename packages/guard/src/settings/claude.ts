import { join } from "node:path";
import type { AgentSettings, NativeRules } from "./agent-settings.ts";
import { probeCall } from "./hook-constants.ts";
import { HOOK_TIMEOUT_S } from "./hook-entry.ts";
import { jsonSettings } from "./json-entry.ts";
import { createJsonSettings } from "./json-settings.ts";
import { CLAUDE_DENIES, claudeRules } from "./native/claude-rules.ts";
import { readMarked, addMarked, removeMarked } from "./native/marked-list.ts";
import { isReportedFailure, hasOutputValue } from "./outcomes.ts";

const hooks = createJsonSettings("claude", {
  event: "PreToolUse",
  nested: true,
  entry: { matcher: "*" },
  hook: ({ watchOnly }) => ({
    type: "command",
    timeout: HOOK_TIMEOUT_S,
    ...(watchOnly ? {} : { onFailure: "block" }),
  }),
});

const native: NativeRules = {
  rulesFor: claudeRules,
  write: (text, rules) => addMarked(removeMarked(text, CLAUDE_DENIES), rules, CLAUDE_DENIES),
  read: (text) => readMarked(text, CLAUDE_DENIES),
};

/** The line has paths of this machine, so a project uses the personal file. */
export const claudeSettings: AgentSettings = {
  id: "claude",
  file: ({ home, project, env }) =>
    project === undefined
      ? join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json")
      : join(project, ".claude/settings.local.json"),
  // Removes native rules first and adds them last, so that each edit is found again.
  install(text, line) {
    const rules = text === undefined ? undefined : native.read(text);
    const installed = hooks.install(rules === undefined ? text : native.write(text!, []), line);
    return rules === undefined ? installed : native.write(installed, rules);
  },
  uninstall: (text) => hooks.uninstall(native.write(text, [])),
  installed: hooks.installed,
  entries: hooks.entries,
  native,
  findDisablingSettings: switchedOff,
  relatedFiles: {
    files: (_location, folder) =>
      ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name)),
    problems: (text) => (text === undefined ? [] : switchedOff(text)),
  },
  open: [
    "The settings of a project can disable all hooks (disableAllHooks), including hooks of the user. status checks this for the current folder.",
    "Claude reads files named with @ in a prompt without a hook. install --native copies the current denials to its permissions.",
    "The guard does not check commands that you type after !.",
    "Versions before 2.1.295 ignore onFailure, so only exit code 2 of a line blocks.",
  ],
  forbidden: (file, cwd) => probeCall(cwd, "PreToolUse", "Write", { file_path: file, content: "{}" }),
  blocks: (outcome) =>
    isReportedFailure(outcome) ||
    hasOutputValue(outcome, ["hookSpecificOutput", "permissionDecision"], "deny"),
};

function switchedOff(text: string): string[] {
  return jsonSettings(text)["disableAllHooks"] === true
    ? ["disableAllHooks is set, so no hook is asked."]
    : [];
}
