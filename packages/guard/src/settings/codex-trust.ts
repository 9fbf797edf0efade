import { sha256 } from "@haft/utils";
import { listRecords } from "./json-entry.ts";

export type HookTrust = "trusted" | "not trusted" | "changed since" | "switched off";

/** In seconds. */
const DEFAULT_TIMEOUT = 600;

/**
 * Reads the user's review: `hooks.state."FILE:EVENT:GROUP:HOOK"`.
 *
 * @param files All paths of the settings file.
 */
export function readCodexTrust(
  settings: Readonly<Record<string, unknown>>,
  files: readonly string[],
  isGuardLine: (line: unknown) => boolean,
): HookTrust | undefined {
  const [hooks = {}] = listRecords([settings["hooks"]]);
  const [state = {}] = listRecords([hooks["state"]]);
  const groups = Array.isArray(hooks["PreToolUse"]) ? (hooks["PreToolUse"] as unknown[]) : [];
  for (const [group, entry] of groups.entries()) {
    const [{ matcher, hooks: inner } = {} as Record<string, unknown>] = listRecords([entry]);
    for (const [at, hook] of (Array.isArray(inner) ? (inner as unknown[]) : []).entries()) {
      const [record] = listRecords([hook]);
      if (record === undefined || !isGuardLine(record["command"])) continue;
      const [trusted] = files.flatMap((file) => listRecords([state[`${file}:pre_tool_use:${group}:${at}`]]));
      if (trusted?.["enabled"] === false) return "switched off";
      const hash = trusted?.["trusted_hash"];
      if (hash === undefined) return "not trusted";
      return hash === hashOf(record, matcher) ? "trusted" : "changed since";
    }
  }
  return undefined;
}

/** Codex hashes JSON with sorted keys. */
function hashOf({ command, timeout, async: isAsync }: Record<string, unknown>, matcher: unknown): string {
  const seconds = timeout === undefined ? DEFAULT_TIMEOUT : Number(timeout);
  const hook = { async: isAsync === true, command, timeout: seconds, type: "command" };
  const text = JSON.stringify({ event_name: "pre_tool_use", hooks: [hook], matcher });
  return `sha256:${sha256(text)}`;
}
