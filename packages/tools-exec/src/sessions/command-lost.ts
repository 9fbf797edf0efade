import { HaftError, type ProcessInfo } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import type { CommandSession } from "./command-session.ts";

const SHELL_SAW_KILL = 128 + 9;
interface Book {
  findBook(session: CommandSession): Book;
  list(): Promise<CommandSession[]>;
  forgetSoon(session: CommandSession): void;
}

const MOST_NAMES = 10;

/**
 * Throws if the runner of a command is lost, unless the end and the output are known.
 *
 * @param options.missed output of the result could not be read
 * @param options.book removes the command
 * @throws `RUNNER_LOST`, `SANDBOX_LOST`
 */
export async function throwIfLost(
  session: CommandSession,
  { missed = false, book }: { missed?: boolean; book?: Book } = {},
): Promise<void> {
  const loss = await lossOf(session, missed);
  if (loss === undefined) return;
  book?.forgetSoon(session);
  throw commandLost(session, loss, await namesOfLost(book?.findBook(session), session));
}

async function namesOfLost(book: Book | undefined, except?: CommandSession): Promise<string[]> {
  const all = (await book?.list()) ?? [];
  return all
    .filter((one) => one !== except && one.info.state === "lost" && !one.endWasSeen)
    .map(({ id }) => id)
    .toReversed();
}

function othersNote(names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length - MOST_NAMES;
  const listed = `${names.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return ` These background commands ended with it: ${listed}.`;
}

function nextNote(code: string): string {
  return code === "SANDBOX_LOST"
    ? " The next call opens a new sandbox."
    : " The session is ready: the next command starts as usual.";
}

async function lossOf(session: CommandSession, missed: boolean): Promise<ProcessInfo | undefined> {
  const { info } = session;
  if (info.state === "lost") return info;
  if (!session.hasEnded || !(missed || wasCutOff(info))) return undefined;
  // The end of the command may arrive before the loss of its sandbox.
  const now = await session.processes.info(info.id);
  return now?.loss === undefined ? undefined : { ...info, loss: now.loss };
}

/** Adds the lost background commands to the error. It remains unknown whether the command began. */
export async function explainLostStart(thrown: unknown, book: Book): Promise<unknown> {
  if (!HaftError.is(thrown) || (thrown.code !== "RUNNER_LOST" && thrown.code !== "SANDBOX_LOST"))
    return thrown;
  const beside = await namesOfLost(book);
  const { details, message, receipt, cause } = thrown;
  const text = `${message} The runner ended during the start, so it is unknown whether the command ran.`;
  return commandToolError(thrown.code, `${text}${othersNote(beside)}`, {
    fix: `The call may have taken effect: look before you repeat it.${nextNote(thrown.code)}`,
    details: { ...details, ...(beside.length > 0 && { lostWithIt: beside }) },
    ...(receipt !== undefined && { receipt }),
    cause,
  });
}

function wasCutOff({ reason, signal, exitCode, outOfMemory }: ProcessInfo): boolean {
  if (reason === "timeout" || reason === "killed" || outOfMemory !== undefined) return false;
  return signal === "SIGKILL" || exitCode === SHELL_SAW_KILL;
}

function commandLost(session: CommandSession, info: ProcessInfo, beside: readonly string[]): HaftError {
  const { code, why } = info.loss ?? { code: "RUNNER_LOST" as const, why: "it ended" };
  const isKnown = info.state !== "lost" && !wasCutOff(info);
  const what = code === "SANDBOX_LOST" ? "The sandbox" : "The runner of the command";
  const then = isKnown
    ? `The command had already ended with ${endOf(info)}; its output is lost`
    : "The command was running, so its end is unknown";
  const next = nextNote(code);
  const { cwd, startedAt } = info;
  return commandToolError(code, `${what} is gone, because ${why}. ${then}.${othersNote(beside)}`, {
    fix: isKnown
      ? `Check its effects instead of repeating it for its output.${next}`
      : `The call may have taken effect: look before you repeat it.${next}`,
    details: {
      ...(isKnown ? session.end : { status: "failed", failureKind: "lost" }),
      sessionId: session.id,
      ...(beside.length > 0 && { lostWithIt: beside }),
      cwd,
      startedAt,
    },
  });
}

function endOf({ signal, exitCode }: ProcessInfo): string {
  return signal === undefined ? `exit code ${exitCode ?? "unknown"}` : `signal ${signal}`;
}
