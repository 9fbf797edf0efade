import type { ProcessInfo } from "@haft/core";
import { HaftError } from "@haft/plugin-sdk";
import type { CommandSession } from "./command-session.ts";
import { describeEnd } from "./describe-end.ts";

const SHELL_SAW_KILL = 128 + 9;

/**
 * What a call about a command is answered with once nothing more can be heard of it. `undefined` while what runs it
 * is there, and for one whose end and output are known all the same.
 *
 * @param missed output that the answer should have had could not be read
 */
export async function lossOf(session: CommandSession, missed = false): Promise<HaftError | undefined> {
  const { info } = session;
  if (info.state === "lost") return commandLost(session, info);
  if (!session.hasEnded || !(missed || wasCutOff(info))) return undefined;
  // The end of one that went together with its sandbox may have been heard of first.
  const now = await session.processes.info(info.id);
  return now?.loss === undefined ? undefined : commandLost(session, { ...info, loss: now.loss });
}

/** Something killed it that was not asked to. */
function wasCutOff({ reason, signal, exitCode, outOfMemory }: ProcessInfo): boolean {
  if (reason === "timeout" || reason === "killed" || outOfMemory !== undefined) return false;
  return signal === "SIGKILL" || exitCode === SHELL_SAW_KILL;
}

function commandLost({ id }: CommandSession, info: ProcessInfo): HaftError {
  const { code, why } = info.loss ?? { code: "RUNNER_LOST", why: "it went away" };
  const isKnown = info.state !== "lost" && !wasCutOff(info);
  const what = code === "SANDBOX_LOST" ? "The sandbox" : "What ran the command";
  const then = isKnown
    ? `The command had ended with ${endOf(info)} by then; its output went along`
    : "The command was running, so how it ended is not known";
  const next = code === "SANDBOX_LOST" ? " The next call opens a new sandbox." : "";
  const { cwd, startedAt } = info;
  return new HaftError(code, `${what} is gone, because ${why}. ${then}.`, {
    category: "operational",
    fix: isKnown
      ? `Look at what it did instead of repeating it for its output.${next}`
      : `It may or may not have happened: look before you repeat it.${next}`,
    details: {
      ...(isKnown ? describeEnd(info) : { status: "failed", failureKind: "lost" }),
      sessionId: id,
      cwd,
      startedAt,
    },
    receipt: "unknown",
  });
}

function endOf({ signal, exitCode }: ProcessInfo): string {
  return signal === undefined ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
}
