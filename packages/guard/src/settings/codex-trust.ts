import { sha256 } from "@haft/utils";
import { listRecords } from "./json-entry.ts";

export type HookTrust = "trusted" | "not trusted" | "changed since" | "switched off";

/** Seconds that Codex gives a hook that says nothing of it. */
const DEFAULT_TIMEOUT = 600;

/**
 * Whether Codex asks a hook, by what it wrote down when its user reviewed it: `hooks.state."FILE:EVENT:GROUP:HOOK"`.
 *
 * @param settings parsed
 * @param files the file of the settings, by each of its names
 * @param isOwn whether the line of a hook is the one that is asked about
 */
export function readCodexTrust(
  settings: Readonly<Record<string, unknown>>,
  files: readonly string[],
  isOwn: (line: unknown) => boolean,
): HookTrust | undefined {
  const [hooks = {}] = listRecords([settings["hooks"]]);
  const [state = {}] = listRecords([hooks["state"]]);
  const groups = Array.isArray(hooks["PreToolUse"]) ? (hooks["PreToolUse"] as unknown[]) : [];
  for (const [group, entry] of groups.entries()) {
    const [{ matcher, hooks: inner } = {} as Record<string, unknown>] = listRecords([entry]);
    for (const [at, hook] of (Array.isArray(inner) ? (inner as unknown[]) : []).entries()) {
      const [own] = listRecords([hook]);
      if (own === undefined || !isOwn(own["command"])) continue;
      const [kept] = files.flatMap((file) => listRecords([state[`${file}:pre_tool_use:${group}:${at}`]]));
      if (kept?.["enabled"] === false) return "switched off";
      const hash = kept?.["trusted_hash"];
      if (hash === undefined) return "not trusted";
      return hash === hashOf(own, matcher) ? "trusted" : "changed since";
    }
  }
  return undefined;
}

/** The text that Codex takes the hash of: JSON with its keys in order. */
function hashOf({ command, timeout, async: isAsync }: Record<string, unknown>, matcher: unknown): string {
  const seconds = timeout === undefined ? DEFAULT_TIMEOUT : Number(timeout);
  const hook = { async: isAsync === true, command, timeout: seconds, type: "command" };
  const text = JSON.stringify({ event_name: "pre_tool_use", hooks: [hook], matcher });
  return `sha256:${sha256(text)}`;
}
