import { formatToolResult, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { text as readAll } from "node:stream/consumers";
import { createHost } from "../../host/host.ts";
import { approvalEnvironment, tellOfApprovals } from "../approvals/approval-options.ts";
import { undoCommand } from "../place/next-command.ts";
import { answerLine, updateLine } from "../run/answers.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { tellOfStore } from "../tell-of-store.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { followCall, screensOf } from "./live-call.ts";
import { untilSignal } from "./until-signal.ts";

const help = `haft call TOOL [JSON] [options]

Runs one call in a fresh session and prints its result; a call that fails prints why on standard
error. JSON are the arguments; - reads them from standard input.

  haft call read '{"path":"README.md","limit":5}'
  haft call write '{"path":"notes.txt","content":"hello"}'
  haft call exec '{"command":"npm test"}'

On a terminal the output of a command appears while it runs, with the time it takes so far. A
command is waited for to its end, unless the call says otherwise (yieldMs, background), and ends
with the session. Ctrl-C cancels the call, and what it started ends; a second one leaves at once.

      --json                print the whole outcome as one line
      --stream              the same, and before it each partial result as a line of "kind":"update"
      --format FORMAT       markdown or plain; default: plain
      --approvals MODE      when the call needs approval: ask (the default on a terminal; Ctrl-C
                            denies), wait (until haft approvals answer) or deny (the default
                            without one)

${sessionArgumentsHelp}

Exit codes: 0 when the call succeeded (of exec: when the command ran, whatever its own exit code, which
the result says), 1 when it did not, 2 for wrong usage, 129, 130 or 143 when SIGHUP (a closed terminal),
SIGINT (Ctrl-C) or SIGTERM cancelled it.`;

export const callCommand = defineCommand(
  help,
  {
    ...sessionArguments,
    json: { type: "boolean" },
    stream: { type: "boolean" },
    format: { type: "string", words: ["plain", "markdown"] },
    approvals: { type: "string", words: ["ask", "wait", "deny"] },
  },
  async (values, positionals) => {
    const [name, json, ...rest] = positionals;
    if (name === undefined) throw new UsageError("Which tool? haft call TOOL [JSON]; haft tools lists them.");
    if (rest.length > 0) throw new UsageError("The arguments are one JSON text; put quotes around it.");
    const { format = "plain" } = values;
    const byDefault = process.stdin.isTTY && process.stderr.isTTY ? "ask" : "deny";
    const approvals = values.approvals ?? byDefault;
    const options = await readSessionValues(values);
    const raw = json === "-" ? await readAll(process.stdin) : json;
    const host = await createHost({
      // Nobody is there to follow what goes on in the background.
      backgroundMs: "never",
      ...options.host,
      ...approvalEnvironment(approvals),
      logger: stderrLogger,
    });
    const leaving = untilSignal();
    try {
      const session = await host.openSession(options.session);
      tellOfApprovals(session, approvals, { giveUp: true });
      tellOfStore(session);
      const call = () => session.call({ name, arguments: raw }, { signal: leaving.signal });
      const outcome = await (values.json || values.stream
        ? printLines(session, call, values.stream ?? false)
        : printResult(session, name, call, format));
      tellMore(outcome, values.stream ?? process.stdout.isTTY);
      return outcome.kind === "ok" ? 0 : (leaving.code() ?? 1);
    } finally {
      await host.close();
      leaving.end();
    }
  },
  { names: "tool" },
);

/** For people: what comes as it comes where somebody looks, and the rest in the end. */
async function printResult(
  session: Session,
  name: string,
  call: () => Promise<ToolOutcome>,
  format: "plain" | "markdown",
): Promise<ToolOutcome> {
  const { output, status } = screensOf(process);
  // In Markdown output stands in a fence, which is of the result.
  const live = followCall(session, name, { output: format === "plain" ? output : undefined, status });
  const outcome = await call();
  const rest = live.end(formatToolResult(outcome, format));
  if (rest === "" && live.hasShown) return outcome;
  if (outcome.kind === "ok") console.log(rest);
  else console.error(rest);
  return outcome;
}

/** For programs. */
async function printLines(
  session: Session,
  call: () => Promise<ToolOutcome>,
  withUpdates: boolean,
): Promise<ToolOutcome> {
  let startedAt = 0;
  if (withUpdates)
    session.subscribe((event) => {
      if (event.type === "tool-start") startedAt = event.at;
      if (event.type === "tool-update") console.log(updateLine(event, Date.now() - startedAt));
    });
  const outcome = await call();
  console.log(answerLine(outcome, { json: true, format: "plain" }));
  return outcome;
}

/**
 * What is good to know beside the result.
 *
 * @param wasShown what was left out of it was shown before
 */
function tellMore(outcome: ToolOutcome, wasShown: boolean): void {
  const { details } = outcome;
  if (outcome.kind === "ok") {
    if (details["status"] === "running")
      console.error("haft: the command ends with this session now; haft run keeps one open.");
    else if (Number(details["omittedBytes"] ?? 0) > 0 && !wasShown)
      console.error(
        "haft: what was left out ends with this session; a terminal, and --stream, show more of it.",
      );
    if (process.stderr.isTTY && typeof details["transactionId"] === "string")
      console.error(`To take it back: ${undoCommand(details["transactionId"])}`);
  } else if (outcome.code === "APPROVAL_UNAVAILABLE") {
    console.error(
      "haft: to be asked, use --approvals ask on a terminal, or --approvals wait and haft approvals answer.",
    );
  }
}
