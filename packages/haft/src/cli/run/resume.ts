import { HaftError, type ToolMeta } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import { callInShort } from "../../approvals/call-in-short.ts";
import type { HostSessionOptions } from "../../host/host-options.ts";
import type { Host } from "../../host/host.ts";
import { howToAnswer } from "../approvals/describe-request.ts";
import { withLedger } from "../ledger/open-ledger.ts";
import { UsageError } from "../usage.ts";
import { resumeCommand } from "./resume-command.ts";

/** What `--resume` and `--take-over` say, and where. */
export interface ResumeValues {
  resume?: string;
  "take-over"?: boolean;
  state?: string;
}

/** Ids of runs, as they are made. */
export const RUN_ID = /^[0-9a-z]{18}$/;

/** Calls of one kind that are told of; of more the number is. */
const MOST_TOLD = 10;

/** @throws UsageError */
export function resumeOptions(values: ResumeValues): Pick<HostSessionOptions, "resume"> {
  const { resume } = values;
  if (resume === undefined) {
    if (values["take-over"]) throw new UsageError("--take-over goes with --resume.");
    return {};
  }
  if (resume !== "" && !RUN_ID.test(resume))
    throw new UsageError(
      `--resume takes the id of a run, as haft ledger list shows it; got "${resume}". Without one it continues the latest.`,
    );
  return { resume: resume === "" ? true : resume };
}

/**
 * Opens the session, and says what it waits for.
 *
 * @throws HaftError as `openSession`; of `SESSION_HELD` with what to do here
 */
export async function openResumed(
  host: Host,
  options: HostSessionOptions,
  { "take-over": takeOver = false, state }: ResumeValues,
): Promise<Session> {
  try {
    return await host.openSession(options);
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "RUN_NOT_FOUND" && typeof options.resume === "string")
      throw await ofAnother(thrown, options.resume, state);
    if (!HaftError.is(thrown) || thrown.code !== "SESSION_HELD") throw thrown;
    const { code, category, message, details = {} } = thrown;
    if (!takeOver) {
      const fix =
        "End that program first; or wait for it here: haft run --resume --take-over continues once it has ended, or has lost its lease.";
      throw new HaftError(code, message, { category, fix, details, receipt: "none", cause: thrown });
    }
    console.error(`haft: ${escapeInvisible(message)} Waiting until it ends.`);
    return host.openSession({ ...options, takeOver: true });
  }
}

/** The error, with the command that continues the run where it is of another conversation. */
async function ofAnother(thrown: HaftError, runId: string, state: string | undefined): Promise<HaftError> {
  const run = await withLedger(state, ({ ledger }) => ledger.run(runId));
  if (run === undefined) return thrown;
  const { code, category, message, details = {} } = thrown;
  const fix = `It is a run of the session ${run.sessionKey}: ${resumeCommand(run, state)}`;
  return new HaftError(code, message, { category, fix, details, receipt: "none", cause: thrown });
}

/** Says on standard error what is continued. Resolves once all that waited waits again, or goes on. */
export async function tellOfResume(session: Session): Promise<void> {
  const calls = session.ledger();
  const { runId = "", epoch = 1 } = session.run ?? {};
  if (epoch === 1) {
    say(`There is no earlier run of this conversation; this is a new one (${runId}).`);
    return;
  }
  say(`Continuing run ${runId}: ${calls.length} ${calls.length === 1 ? "call" : "calls"} so far.`);
  tellEach(
    calls.filter(({ code }) => code === "INTERRUPTED"),
    (call) => `Interrupted, and nobody knows what it did: ${named(call)}.`,
  );
  await session.continued();
  tellEach(session.pendingApprovals(), (request) => {
    const { toolCallId, tool, args } = request;
    return `Waits for approval: ${named({ toolCallId, toolName: tool.name, args })}. ${howToAnswer(request)}`;
  });
}

function tellEach<T>(all: readonly T[], line: (one: T) => string): void {
  for (const one of all.slice(-MOST_TOLD)) say(line(one));
  if (all.length > MOST_TOLD)
    say(`… and ${all.length - MOST_TOLD} more like these; haft ledger show tells all.`);
}

function named({ toolCallId, toolName, args }: Pick<ToolMeta, "toolCallId" | "toolName" | "args">): string {
  return `${callInShort(toolName, args)} (${escapeInvisible(toolCallId)})`;
}

function say(line: string): void {
  console.error(`haft: ${line}`);
}
