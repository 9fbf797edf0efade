import type { AgentId } from "@haft/guard";
import { shellWord } from "../../approvals/shell-word.ts";

/** What an agent's settings start before each call. */
export interface GuardLine {
  /** Node first, then the hook's own program. Absolute paths. */
  program: readonly string[];
  /** Variables that say where Haft looks, as they were when the hook was installed: agents pass few of them on. */
  env: Readonly<Record<string, string>>;
  /** What ends a program that takes longer than nine seconds; empty where this machine has nothing of that kind. */
  watchdog: readonly string[];
  /** Absolute. */
  policyFile?: string;
  /** Nothing is decided, so nothing may stand in the way either. */
  watchOnly: boolean;
  /** The name of a server that the agent starts, whose tool its hook calls, instead of a line for each call. */
  server?: string;
}

/** Seconds after which agents give a hook up: later than the watchdog. */
export const GIVEN_UP_S = 15;

/** What is said where the guard itself cannot answer: with the command that installs it anew, as it was. */
export function missing(agent: AgentId, { policyFile, watchOnly }: GuardLine): string {
  const words = [
    ...(policyFile === undefined ? [] : ["--policy", policyFile]),
    ...(watchOnly ? ["--watch-only"] : []),
  ];
  return `haft guard: this call is denied, since the guard is missing, crashed or did not end. To get out, a person runs: ${["haft", "guard", "install", agent, ...words].map(shellWord).join(" ")}`;
}

/** The words behind the program. */
export function hookWords(agent: AgentId, event: string, { policyFile, watchOnly }: GuardLine): string[] {
  return [
    agent,
    event,
    ...(policyFile === undefined ? [] : ["--policy", policyFile]),
    ...(watchOnly ? ["--watch-only"] : []),
  ];
}

/**
 * The line for a POSIX shell. Whatever keeps the hook from answering ends it with exit code 2 and a text, which agents take for a
 * denial; one that only watches never does.
 */
export function shellLine(agent: AgentId, event: string, line: GuardLine): string {
  const env = Object.entries(line.env).map(([name, value]) => `${name}=${value}`);
  const words = [
    ...(env.length === 0 ? [] : ["env", ...env]),
    ...line.watchdog,
    ...line.program,
    ...hookWords(agent, event, line),
  ];
  const end = line.watchOnly ? "true" : `{ echo ${shellWord(missing(agent, line))} >&2; exit 2; }`;
  return `${words.map(shellWord).join(" ")} || ${end}`;
}

/** Whether a line of settings is one that {@link shellLine} made, whatever version of it. */
export function isOwnLine(agent: AgentId, line: unknown): line is string {
  const own = new RegExp(
    String.raw`[/\\]guard-hook\.c?[jt]s'? ${agent}(?: .*)? \|\| (?:true|\{ echo 'haft guard.*\})$`,
    "s",
  );
  return typeof line === "string" && own.test(line);
}
