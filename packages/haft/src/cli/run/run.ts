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
import { installUncaughtHandler } from "../uncaught/install-uncaught-handler.ts";
import { action, defineCommand, FLAG, UsageError } from "../usage.ts";
import { openResumed, resumeOptions, reportResume } from "./resume.ts";
import { serve } from "./serve.ts";

const help = `haft run [FILE] [options]

Opens one session and answers tool calls, one line each, until the input ends.

Reads FILE, or standard input. Each line is one of
  {"tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a.txt\\"}"}}]}
  {"id":"1","name":"read","arguments":{"path":"a.txt"}}          (arguments may be JSON text)
  {"control":"abort","id":"1"}                                   stop a running call
  {"control":"approve","approvalId":"…","decision":"allow-once"} or allow-always, deny;
                       with allow-always perhaps "grant":"program" and "forMs":3600000
  {"control":"message","text":"/approve … allow-once"}           the same, as somebody wrote it in a chat
  {"control":"ledger"}                                           every call so far, as a list; with
                       "wrap":true as {"control":"ledger","calls":[…]}
  {"control":"approvals"}                                        what waits for a decision
  {"control":"run"}                                              the run that calls are recorded in
  {"control":"tools"}                                            what is visible, and what is not and why
  {"control":"explain","name":"write","arguments":{…}}           which rule decides
  {"control":"reload"}                                           read configuration and policy files anew
A pretty-printed message over several lines works too.

Writes one line for each call, as soon as it is done:
  {"role":"tool","tool_call_id":"1","content":"…"}
With images, content is a list of parts: {"type":"text","text":"…"} and
{"type":"image_url","image_url":{"url":"data:image/png;base64,…"}}.
A call that is answered as pending is answered once more when it was decided, here or with
haft approvals. Nothing else goes to standard output.

      --resume [RUN]        continue the latest run of this conversation, or this one (its id, or the
                            beginning of it; haft ledger list shows ids): what waited for approval
                            waits again, or goes on when it was decided meanwhile
      --take-over           with --resume: wait until the program that has the run has ended
      --json                answer with kind, code, content, details and durationMs instead
      --format FORMAT       text of answers without --json: plain (default) or markdown
      --parallel            run the calls of one message at once; answers stay in order
      --approvals MODE      calls that need approval: pending (default: answered as pending at once),
                            wait (until an approve line or haft approvals answer; a line with
                            "control":"approval" tells of it), ask (on the terminal; Ctrl-C denies)
                            or deny (refused)

${sessionArgumentsHelp}

Exit codes: 0 at the end of the input, 1 when the session could not be opened or may have left a
sandbox that still runs, 2 for wrong usage, 129, 130 or 143 when SIGHUP (a closed terminal), SIGINT
or SIGTERM ended it; what was running has ended then, too.`;

/** Milliseconds that whoever reads the answers has for the last of them, after a signal. */
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
    const input = openInput(file);

    installUncaughtHandler();
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
    // Whoever reads the answers may leave first; that ends the session, it is no crash.
    const leaving = new AbortController();
    let code = 0;
    const leaveWith = (signalled: number): void => {
      // A terminal that is closed takes input and output with it, in any order.
      code ||= signalled;
      if (leaving.signal.aborted) return;
      leaving.abort();
      void leave(host, () => code);
    };
    // Answers alone go there, whatever tools print.
    const release = captureStdout();
    process.stdout.on("error", () => leaveWith(0));
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => leaveWith(128 + constants.signals[signal]));
    }
    // Both a terminal and its shell may say it: that is no wish for more haste.
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

/** Ends the program before its input does. Answers that were given are read by somebody slow, perhaps, or by nobody. */
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

function openInput(path: string | undefined) {
  if (path === undefined || path === "-") return process.stdin;
  if (!statSync(path, { throwIfNoEntry: false })) throw new UsageError(`There is no file ${path}.`);
  return createReadStream(path);
}
