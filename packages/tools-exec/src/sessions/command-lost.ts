import type { HaftError, ProcessInfo } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import type { CommandSession } from "./command-session.ts";
import type { SessionBook } from "./session-book.ts";

const SHELL_SAW_KILL = 128 + 9;

/**
 * Ends a call about a command of which nothing more can be heard. Does nothing while what runs it is there, and for one
 * whose end and output are known all the same.
 *
 * @param options.missed output that the answer should have had could not be read
 * @param options.book forgets the command then
 * @throws HaftError `RUNNER_LOST`, `SANDBOX_LOST`
 */
export async function throwIfLost(
  session: CommandSession,
  { missed = false, book }: { missed?: boolean; book?: SessionBook } = {},
): Promise<void> {
  const loss = await lossOf(session, missed);
  if (loss === undefined) return;
  book?.forgetSoon(session);
  throw commandLost(session, loss);
}

async function lossOf(session: CommandSession, missed: boolean): Promise<ProcessInfo | undefined> {
  const { info } = session;
  if (info.state === "lost") return info;
  if (!session.hasEnded || !(missed || wasCutOff(info))) return undefined;
  // The end of one that went together with its sandbox may have been heard of first.
  const now = await session.processes.info(info.id);
  return now?.loss === undefined ? undefined : { ...info, loss: now.loss };
}

/** Something killed it that was not asked to. */
function wasCutOff({ reason, signal, exitCode, outOfMemory }: ProcessInfo): boolean {
  if (reason === "timeout" || reason === "killed" || outOfMemory !== undefined) return false;
  return signal === "SIGKILL" || exitCode === SHELL_SAW_KILL;
}

function commandLost(session: CommandSession, info: ProcessInfo): HaftError {
  const { code, why } = info.loss ?? { code: "RUNNER_LOST" as const, why: "it went away" };
  const isKnown = info.state !== "lost" && !wasCutOff(info);
  const what = code === "SANDBOX_LOST" ? "The sandbox" : "What ran the command";
  const then = isKnown
    ? `The command had ended with ${endOf(info)} by then; its output went along`
    : "The command was running, so how it ended is not known";
  const next = code === "SANDBOX_LOST" ? " The next call opens a new sandbox." : "";
  const { cwd, startedAt } = info;
  return commandToolError(code, `${what} is gone, because ${why}. ${then}.`, {
    fix: isKnown
      ? `Look at what it did instead of repeating it for its output.${next}`
      : `It may or may not have happened: look before you repeat it.${next}`,
    details: {
      ...(isKnown ? session.end : { status: "failed", failureKind: "lost" }),
      sessionId: session.id,
      cwd,
      startedAt,
    },
  });
}

function endOf({ signal, exitCode }: ProcessInfo): string {
  return signal === undefined ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
}
