import { isAbsolute, join } from "node:path";
import type { AgentId } from "../contract/payload.ts";

/** The guard follows these. */
const FOLLOWED: Readonly<Record<AgentId, readonly string[]>> = {
  claude: ["CLAUDE_CONFIG_DIR"],
  codex: ["CODEX_HOME"],
  copilot: ["COPILOT_HOME"],
  cursor: [],
  gemini: ["GEMINI_CLI_HOME"],
  openclaw: ["OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "OPENCLAW_CONFIG_PATH"],
  opencode: ["XDG_CONFIG_HOME"],
  pi: ["PI_CODING_AGENT_DIR"],
};
/** The hooks folder is then unknown, unless the second variable is set. */
const UNKNOWN: Readonly<Partial<Record<AgentId, readonly (readonly [name: string, unless?: string])[]>>> = {
  cursor: [["CURSOR_CONFIG_DIR"]],
  openclaw: [["OPENCLAW_PROFILE", "OPENCLAW_STATE_DIR"]],
};

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns sentences about an unknown settings folder.
 *
 * @example
 * ```ts run
 * import { folderProblems } from "@haft/guard/internal/agents";
 * folderProblems("codex", {}); // => []
 * ```
 */
export function folderProblems(id: AgentId, env: Env): string[] {
  const relative = FOLLOWED[id].flatMap((name) => {
    const value = env[name] ?? "";
    return value === "" || isAbsolute(value) || /^~(?:\/|$)/.test(value)
      ? []
      : [
          `${name} is ${JSON.stringify(value)}, a relative path that depends on the folder in which ${id} starts.`,
        ];
  });
  const unknown = (UNKNOWN[id] ?? []).flatMap(([name, unless]) =>
    (env[name] ?? "") === "" || (unless !== undefined && (env[unless] ?? "") !== "")
      ? []
      : [
          `${name} is set, so the hooks folder of ${id} is unknown.${unless === undefined ? ` Unset it.` : ` Also set ${unless}.`}`,
        ],
  );
  return [...relative, ...unknown];
}

export function folderFromVariable(env: Env, name: string, home: string): string | undefined {
  const value = env[name] ?? "";
  if (value === "") return undefined;
  return /^~(?:\/|$)/.test(value) ? join(home, value.slice(1)) : value;
}
