import { shellWord } from "@haft/utils";
import type { AgentId } from "../contract/payload.ts";
import { ANSWER_PREFIX, MARKED_OPTION } from "./hook-constants.ts";

/**
 * Describes the command before each call.
 *
 * @example
 * ```ts
 * import { createHookEntry, type HookEntry } from "@haft/guard/internal/agents";
 * const watching: HookEntry = createHookEntry({ watchOnly: true });
 * ```
 */
export interface HookEntry {
  /** Absolute paths of Node and hook, with flags. */
  program: readonly string[];
  /** Locations of Haft. Agents pass few variables on. */
  env: Readonly<Record<string, string>>;
  /** Absolute path. Default `/usr/bin/env`. */
  cleaner?: string;
  /** Ends a program after nine seconds. Empty without such a command. */
  watchdog: readonly string[];
  /** Absolute. Replaces the configuration. */
  policyFile?: string;
  /** The hook denies nothing, even if it fails. */
  watchOnly: boolean;
}

/** Longer than the watchdog. */
export const HOOK_TIMEOUT_S = 15;

/** A hook does not know where it is installed. */
const IN_PROJECT = " (with --project if it is installed in the project)";

/** Contains the command that installs the guard again. */
export function formatMissingGuard(agent: AgentId, line: HookEntry): string {
  return `haft guard: this call is denied, since the guard is missing, crashed or did not end. To get out, a person runs: ${["haft", "guard", "install", agent, ...optionsOf(line)].map(shellWord).join(" ")}${IN_PROJECT}`;
}

export function hookArguments(agent: AgentId, event: string, line: HookEntry): string[] {
  return [agent, event, ...optionsOf(line)];
}

function optionsOf({ policyFile, watchOnly }: HookEntry): string[] {
  return [
    ...(policyFile === undefined ? [] : ["--policy", policyFile]),
    ...(watchOnly ? ["--watch-only"] : []),
  ];
}

/** A hook receives no other variables of the agent: they could load code into Node (NODE_OPTIONS, NODE_PATH …) or select other rules. */
export const PASSED_VARIABLES: readonly string[] = (
  "PATH PWD USER LOGNAME TMPDIR CLAUDE_CONFIG_DIR CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ATTENDED CODEX_HOME COPILOT_HOME " +
  "CURSOR_CONFIG_DIR GEMINI_CLI_HOME GEMINI_PROJECT_DIR GEMINI_CLI_SYSTEM_SETTINGS_PATH GEMINI_CLI_SYSTEM_DEFAULTS_PATH " +
  "OPENCODE_CONFIG OPENCODE_CONFIG_DIR PI_CODING_AGENT_DIR OPENCLAW_CONFIG_PATH OPENCLAW_HOME OPENCLAW_STATE_DIR"
).split(" ");
/** `HOME` belongs to the user who installed the hook. */
export const CLIENT_HOME = "HAFT_CLIENT_HOME";

/** Only passes {@link PASSED_VARIABLES} and the variables of the line. */
function startOf(line: HookEntry, words: readonly string[]): string {
  const fixed = Object.entries(line.env).map(([name, value]) => `${name}=${value}`);
  const passed = PASSED_VARIABLES.filter((name) => !Object.hasOwn(line.env, name)).map(
    (name) => `\${${name}:+"${name}=$${name}"}`,
  );
  return [
    shellWord(line.cleaner ?? "/usr/bin/env"),
    "-i",
    ...fixed.map(shellWord),
    `\${HOME:+"${CLIENT_HOME}=$HOME"}`,
    ...passed,
    ...[...line.watchdog, ...line.program, ...words].map(shellWord),
  ].join(" ");
}

/**
 * Only forwards a marked answer. Otherwise the line ends with exit code 2 and a text, a denial for agents, even if the program ends
 * silently with 0. With exit code 2, the program has already written a text. A watching hook never does so.
 */
export function shellLine(agent: AgentId, event: string, line: HookEntry): string {
  const words = hookArguments(agent, event, line);
  if (line.watchOnly) return `${startOf(line, words)} || true`;
  const answer = `haft=$(${startOf(line, [...words, MARKED_OPTION])})`;
  const passOn = `case $?$haft in 0${ANSWER_PREFIX}*) printf %s "\${haft#${ANSWER_PREFIX}}";; 2${ANSWER_PREFIX}*) exit 2;; *) false;; esac`;
  return `${answer}; ${passOn} || { echo ${shellWord(formatMissingGuard(agent, line))} >&2; exit 2; }`;
}

/** Recognises any version. */
export function isGuardHookLine(agent: AgentId, line: unknown): line is string {
  const pattern = new RegExp(
    String.raw`[/\\]guard-hook\.c?[jt]s'? ${agent}(?: .*)? \|\| (?:true|\{ echo 'haft guard.*\})$`,
    "s",
  );
  return typeof line === "string" && pattern.test(line);
}
