import { HaftError, type ToolMeta } from "@haft/core";
import { findRunToResume } from "@haft/core/internal/records";
import type { Session } from "@haft/core/kernel";
import { findRun } from "@haft/history/ledger";
import type { HostSessionOptions, Host } from "@haft/host";
import { formatCallLine } from "@haft/host/internal/approvals";
import { shellWord, escapeInvisible } from "@haft/utils";
import { commandError } from "../../errors.ts";
import { formatAnswerCommand } from "../approvals/describe-request.ts";
import { describeEmptyLedger, withLedger } from "../ledger/open-ledger.ts";
import { nextCommand } from "../location/next-command.ts";
import type { StoreLocationValues } from "../location/store-location.ts";
import { UsageError } from "../usage.ts";
import { resumeCommand } from "./resume-command.ts";

export interface ResumeValues extends StoreLocationValues {
  resume?: string;
  "take-over"?: boolean;
}

const RUN_ID = /^[0-9a-z]{18}$/;

const MAX_REPORTED = 10;

export function resumeOptions(values: ResumeValues): Pick<HostSessionOptions, "resume"> {
  const { resume } = values;
  if (resume === undefined) {
    if (values["take-over"]) throw new UsageError("--take-over needs --resume.");
    return {};
  }
  if (resume !== "" && !/^[0-9a-z]+$/i.test(resume))
    throw new UsageError(
      `--resume takes the id of a run, or the beginning of it, as haft ledger list shows it; got "${resume}". Without a value, it continues the latest run.`,
    );
  return { resume: resume === "" ? true : resume };
}

/** `--take-over` waits for the run's holder. */
export async function openResumed(
  host: Host,
  wanted: HostSessionOptions,
  { "take-over": takeOver = false, ...location }: ResumeValues,
): Promise<Session> {
  const options = await withWholeId(wanted, location);
  await requireOwnRun(options, location);
  try {
    return await host.openSession(options);
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "RUN_NOT_FOUND" && typeof options.resume === "string")
      throw await ofAnother(thrown, options.resume, location);
    if (!HaftError.is(thrown) || thrown.code !== "SESSION_HELD") throw thrown;
    const { message, details = {} } = thrown;
    if (!takeOver) {
      const command = await commandOf(details["runId"], location);
      const wait = `; or wait for it here: \`${command} --take-over\` continues once it has ended, or has lost its lease`;
      throw withFix(thrown, `End that program first${command === undefined ? "" : wait}.`);
    }
    console.error(`haft: ${escapeInvisible(message)} Waiting until it ends.`);
    return host.openSession({ ...options, takeOver: true });
  }
}

async function withWholeId(
  options: HostSessionOptions,
  location: StoreLocationValues,
): Promise<HostSessionOptions> {
  const { resume, sessionKey = "" } = options;
  if (typeof resume !== "string" || RUN_ID.test(resume)) return options;
  const run = await withLedger(location, ({ ledger }) => findRun(ledger, resume, sessionKey));
  if (run === undefined) throw commandError("RUN_NOT_FOUND", describeEmptyLedger(location));
  return { ...options, resume: run.runId };
}

/** Before the session opens, because opening uses up stored answers. @throws HaftError `RUN_ELSEWHERE` */
async function requireOwnRun(
  { resume, sessionKey = "", agentId = "main" }: HostSessionOptions,
  location: StoreLocationValues,
): Promise<void> {
  if (resume === undefined) return;
  const run = await withLedger(location, ({ ledger }) => {
    if (typeof resume === "string") return ledger.run(resume);
    return findRunToResume(ledger, { resume, sessionKey, facts: { agentId } });
  });
  if (run === undefined || resumeCommand(run) !== undefined) return;
  throw commandError(
    "RUN_ELSEWHERE",
    `The run ${run.runId} was not opened by haft run or haft chat, so this command can have other rules and plugins.`,
    { details: { runId: run.runId } },
  );
}

async function ofAnother(
  thrown: HaftError,
  runId: string,
  location: StoreLocationValues,
): Promise<HaftError> {
  const command = await commandOf(runId, location);
  if (command === undefined) return thrown;
  return withFix(thrown, `It is a run of another session. To continue it: \`${command}\``);
}

function withFix(thrown: HaftError, fix: string): HaftError {
  const { code, category, message, details = {} } = thrown;
  return new HaftError(code, message, { category, fix, details, receipt: "none", cause: thrown });
}

async function commandOf(runId: unknown, location: StoreLocationValues): Promise<string | undefined> {
  const run = await withLedger(location, ({ ledger }) => ledger.run(String(runId)));
  return run && resumeCommand(run);
}

/** Resolves when all pending calls wait again or continue. */
export async function reportResume(session: Session): Promise<void> {
  const calls = session.ledger();
  const { runId = "", epoch = 1 } = session.run ?? {};
  if (epoch === 1) {
    say(`There is no earlier run of this conversation; this is a new run (${runId}).`);
    return;
  }
  say(`Continuing run ${runId}: ${calls.length} ${calls.length === 1 ? "call" : "calls"} so far.`);
  reportEach(
    runId,
    calls.filter(({ code }) => code === "INTERRUPTED"),
    ({ toolCallId, toolName }) => {
      const which = `${escapeInvisible(toolName)} (${escapeInvisible(toolCallId)})`;
      const show = nextCommand(`haft ledger show ${runId} ${shellWord(toolCallId)}`);
      return `Interrupted, with unknown effects: ${which}. ${show}`;
    },
  );
  await session.continued();
  reportEach(runId, session.pendingApprovals(), (request) => {
    const { toolCallId, tool, args } = request;
    return `Waits for approval: ${named({ toolCallId, toolName: tool.name, args })}. ${formatAnswerCommand(request)}`;
  });
}

function reportEach<T>(runId: string, all: readonly T[], line: (one: T) => string): void {
  for (const one of all.slice(-MAX_REPORTED)) say(line(one));
  const more = all.length - MAX_REPORTED;
  if (more > 0) say(`… and ${more} more like these: ${nextCommand(`haft ledger show ${runId}`)}`);
}

function named({ toolCallId, toolName, args }: Pick<ToolMeta, "toolCallId" | "toolName" | "args">): string {
  return `${formatCallLine(toolName, args)} (${escapeInvisible(toolCallId)})`;
}

function say(line: string): void {
  console.error(`haft: ${line}`);
}
