import { shellWord } from "@haft/utils";
import type { AgentId } from "../contract/payload.ts";
import { ANSWER_PREFIX, MARKED_OPTION } from "./hook-constants.ts";

/**
 * The command that an agent starts before each call.
 *
 * @example
 * ```ts
 * import { createHookEntry, type HookEntry } from "@haft/guard/internal/agents";
 * const watching: HookEntry = createHookEntry({ watchOnly: true });
 * ```
 */
export interface HookEntry {
  /** Absolute paths of Node and of the program of the hook, with flags of Node. */
  program: readonly string[];
  /** Variables that say where Haft finds its files, as they were at the installation. Agents pass few variables on. */
  env: Readonly<Record<string, string>>;
  /** Absolute path of the program `env`, which removes all other variables. Default `/usr/bin/env`. */
  cleaner?: string;
  /** The command that ends a program after nine seconds. Empty where this machine has none. */
  watchdog: readonly string[];
  /** Absolute path of a policy file, instead of the configuration. */
  policyFile?: string;
  /** Whether the hook only watches: it denies nothing, also when it fails. */
  watchOnly: boolean;
}

/** Seconds after which agents give a hook up: later than the watchdog. */
export const HOOK_TIMEOUT_S = 15;

/** What is said where the guard itself cannot answer: with the command that installs it anew, as it was. */
export function formatMissingGuard(agent: AgentId, line: HookEntry): string {
  return `haft guard: this call is denied, since the guard is missing, crashed or did not end. To get out, a person runs: ${["haft", "guard", "install", agent, ...optionsOf(line)].map(shellWord).join(" ")}`;
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

/**
 * The only variables of an agent that a hook gets: what it names folders and projects by, and where its commands look for programs. No
 * other reaches Node, so that none loads code into it (NODE_OPTIONS, NODE_PATH …) or has it look for other rules.
 */
export const PASSED_VARIABLES: readonly string[] = (
  "PATH PWD USER LOGNAME TMPDIR CLAUDE_CONFIG_DIR CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ATTENDED CODEX_HOME COPILOT_HOME " +
  "CURSOR_CONFIG_DIR GEMINI_CLI_HOME GEMINI_PROJECT_DIR GEMINI_CLI_SYSTEM_SETTINGS_PATH GEMINI_CLI_SYSTEM_DEFAULTS_PATH " +
  "OPENCODE_CONFIG OPENCODE_CONFIG_DIR PI_CODING_AGENT_DIR OPENCLAW_CONFIG_PATH OPENCLAW_HOME OPENCLAW_STATE_DIR"
).split(" ");
/** The agent's own home folder, beside that of the user who installed the hook. */
export const CLIENT_HOME = "HAFT_CLIENT_HOME";

/**
 * What starts the program of a line, for a POSIX shell, with variables of {@link PASSED_VARIABLES} and of the line alone.
 *
 * @param words behind the program
 */
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
 * The line for a POSIX shell. Only an answer that the hook marked as its own is passed on: whatever keeps it from answering ends the
 * line with exit code 2 and a text, which agents take for a denial, also where its program ends with 0 and silence. One that only
 * watches never does.
 */
export function shellLine(agent: AgentId, event: string, line: HookEntry): string {
  const words = hookArguments(agent, event, line);
  if (line.watchOnly) return `${startOf(line, words)} || true`;
  const answer = `haft=$(${startOf(line, [...words, MARKED_OPTION])})`;
  const passOn = `case $haft in ${ANSWER_PREFIX}*) printf %s "\${haft#${ANSWER_PREFIX}}";; *) false;; esac`;
  return `${answer} && ${passOn} || { echo ${shellWord(formatMissingGuard(agent, line))} >&2; exit 2; }`;
}

/** Whether a line of settings is one that {@link shellLine} made, whatever version of it. */
export function isGuardHookLine(agent: AgentId, line: unknown): line is string {
  const own = new RegExp(
    String.raw`[/\\]guard-hook\.c?[jt]s'? ${agent}(?: .*)? \|\| (?:true|\{ echo 'haft guard.*\})$`,
    "s",
  );
  return typeof line === "string" && own.test(line);
}
