import { hostError } from "../../errors.ts";

/** Variables by which agents mark the commands that they run. */
const MARKS = [
  "HAFT_PROCESS",
  "CLAUDECODE",
  "CODEX_SANDBOX",
  "CODEX_THREAD_ID",
  "GEMINI_CLI",
  "CURSOR_AGENT",
  "OPENCODE",
];

/**
 * Tells a command that an agent started that this is not its to do. A courtesy and no boundary: what runs as the same user can
 * take the variable away.
 *
 * @param what the end of a sentence
 * @throws HaftError `GUARD_OF_SESSION`
 */
export function refuseBelowAgent(what: string): void {
  const mark = MARKS.find((name) => (process.env[name] ?? "") !== "");
  if (mark === undefined) return;
  throw hostError(
    "GUARD_OF_SESSION",
    `This command was started by an agent (${mark} is set), and would ${what}. That is decided by the user, not by whoever asks.`,
  );
}
