import { getErrorMessage } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { createHost, type Host } from "@haft/host";
import { bypassCapture, captureStdout } from "@haft/plugin-loader/internal/plugins";
import { createReadStream, statSync } from "node:fs";
import { constants } from "node:os";
import { approvalEnvironment, reportApprovals } from "../approvals/approval-options.ts";
import { isBrokenPipe } from "../is-broken-pipe.ts";
import { RUN_NAME_PATTERN } from "../location/run-name.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { stderrLogger, reportStoreRecovery } from "../stderr-logger.ts";
import { action, defineCommand, FLAG, UsageError } from "../usage.ts";
import { openResumed, resumeOptions, reportResume } from "./resume.ts";
import { serve } from "./serve.ts";

const help = `haft run [FILE] [options]

Opens one session and answers tool calls, one line each, until the input ends.

Reads FILE or standard input. Each line has one of these forms:
  {"tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a.txt\\"}"}}]}
  {"id":"1","name":"read","arguments":{"path":"a.txt"}}          (arguments can be JSON text)
  {"control":"abort","id":"1"}                                   stop a running call
  {"control":"approve","approvalId":"…","decision":"allow-once"} or allow-always, deny; allow-always
                       can have "grant":"program" and "forMs":3600000
  {"control":"message","text":"/approve … allow-once"}           the same, as a chat message
  {"control":"sender","sender":{"id":"…"}}                       set the sender of the next calls
  {"control":"ledger"}                                           list all calls so far; with "wrap":true
                       as {"control":"ledger","calls":[…]}
  {"control":"approvals"}                                        list calls that wait for a decision
  {"control":"run"}                                              show the run that records the calls
  {"control":"tools"}                                            list visible tools, and why others are missing
  {"control":"explain","name":"write","arguments":{…}}           show which rule decides
  {"control":"reload"}                                           read configuration and policy files again
A pretty-printed message over several lines works as well.

Writes one line for each call, as soon as it ends:
  {"role":"tool","tool_call_id":"1","content":"…"}
With images, content is a list of parts: {"type":"text","text":"…"} and
{"type":"image_url","image_url":{"url":"data:image/png;base64,…"}}.
A call that is answered as pending gets a second line after the decision, here or with haft approvals.
Standard output contains nothing else.

      --resume [RUN]        continue the latest run of this conversation, or the run with this id or prefix of
                            an id (haft ledger list shows ids); pending calls wait again, or continue if they
                            were decided in between
      --take-over           with --resume: wait until the program that holds the run has ended
      --json                answer with kind, code, content, details and durationMs instead
      --format FORMAT       format of answers without --json: plain (default) or markdown
      --parallel            run the calls of one message concurrently; answers stay in order
      --approvals MODE      for calls that need approval: pending (default: answer as pending at once), wait
                            (until an approve line or haft approvals answers; a line with
                            "control":"approval" reports the call), ask (on the terminal; Ctrl-C denies)
                            or deny

${sessionArgumentsHelp}

Exit codes: 0 at the end of the input, 1 if the session could not be opened or may have left a running sandbox,
2 for wrong usage, 129, 130 or 143 if SIGHUP (a closed terminal), SIGINT or SIGTERM ended it. Running calls end
as well.`;

/** Milliseconds for slow readers of the last answers. */
const LAST_ANSWERS_MS = 5_000;

const run = action({
  options: {
    ...sessionArguments,
    resume: { type: "string", optional: RUN_NAME_PATTERN },
    "take-over": FLAG,
    json: FLAG,
    format: { type: "string", words: ["plain", "markdown"] },
    parallel: FLAG,
    approvals: { type: "string", words: ["ask", "wait", "pending", "deny"] },
  },
  names: "file",
  most: 1,
  async run(values, [file]) {
    const { format = "plain", approvals = "pending" } = values;
    const options = await readSessionValues(values);
    const resume = resumeOptions(values);
    const input = openInput(file, values.resume);

    const host = await createHost({
      ...options.host,
      ...approvalEnvironment(approvals),
      logger: stderrLogger,
    });
    let session: Session;
    try {
      session = await openResumed(host, { ...options.session, ...resume }, values);
    } catch (thrown) {
      await host.close();
      throw thrown;
    }
    reportApprovals(session, approvals);
    reportStoreRecovery(session);
    if (resume.resume !== undefined) void reportResume(session);
    // A closed output ends the session without an error.
    const leaving = new AbortController();
    let code = 0;
    const leaveWith = (signalled: number): void => {
      // A closed terminal closes streams and signals in any order.
      code ||= signalled;
      if (leaving.signal.aborted) return;
      leaving.abort();
      void leave(host, () => code);
    };
    const release = captureStdout();
    process.stdout.on("error", () => leaveWith(0));
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => leaveWith(128 + constants.signals[signal]));
    }
    // A terminal and its shell may both send SIGHUP, so a repetition does not force the exit.
    process.on("SIGHUP", () => leaveWith(128 + constants.signals.SIGHUP));
    try {
      await serve(session, input, process.stdout, {
        json: values.json ?? false,
        parallel: values.parallel ?? false,
        leaving: leaving.signal,
        reportsApprovals: approvals === "wait",
        reload: () => host.reload(),
        format,
      });
    } catch (thrown) {
      if (isBrokenPipe(thrown)) return code;
      console.error(`haft: reading the input failed: ${getErrorMessage(thrown)}`);
      return 1;
    } finally {
      await host.close();
      release();
    }
    return code;
  },
});

export const runCommand = defineCommand(help, run);

async function leave(host: Host, code: () => number): Promise<void> {
  let failed = false;
  try {
    await host.close();
  } catch (thrown) {
    console.error(`haft: ${getErrorMessage(thrown)}`);
    failed = true;
  }
  const exit = (): never => process.exit(failed ? 1 : code());
  setTimeout(exit, LAST_ANSWERS_MS);
  bypassCapture(() => process.stdout.write("", exit));
}

function openInput(path: string | undefined, resumed: string | undefined) {
  if (path === undefined || path === "-") return process.stdin;
  if (!statSync(path, { throwIfNoEntry: false }))
    throw new UsageError(
      resumed === ""
        ? `There is no file ${path}, and it is no id of a run. haft ledger list shows the runs.`
        : `There is no file ${path}.`,
    );
  return createReadStream(path);
}
