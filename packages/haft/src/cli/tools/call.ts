import { formatToolResult, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { createHost } from "@haft/host";
import { bypassCapture } from "@haft/plugin-loader/internal/output";
import { text as readAll } from "node:stream/consumers";
import { approvalEnvironment, reportApprovals } from "../approvals/approval-options.ts";
import { followCall, toOutputStreams } from "../call/live-call.ts";
import { listenForSignals } from "../call/signal-listener.ts";
import { undoLine } from "../location/next-command.ts";
import { answerLine, updateLine } from "../run/answers.ts";
import { readSessionValues, sessionArguments } from "../session-arguments.ts";
import { stderrLogger, reportStoreRecovery } from "../stderr-logger.ts";
import { action, FLAG, requireObjectText } from "../usage.ts";

export const callAction = action({
  options: {
    ...sessionArguments,
    json: FLAG,
    follow: FLAG,
    format: { type: "string", words: ["plain", "markdown"] },
    approvals: { type: "string", words: ["ask", "wait", "deny"] },
  },
  names: "tool",
  most: 2,
  needs: "Name a tool: haft tools call TOOL [JSON]; haft tools lists all.",
  async run(values, [name = "", json]) {
    const { format = "plain", follow = false } = values;
    const byDefault = process.stdin.isTTY && process.stderr.isTTY ? "ask" : "deny";
    const approvals = values.approvals ?? byDefault;
    const options = await readSessionValues(values);
    const raw = json === "-" ? await readAll(process.stdin) : json;
    if (json !== undefined && json !== "-") requireObjectText("haft tools call", json);
    const host = await createHost({
      // A background command's output would be unreadable.
      backgroundMs: "never",
      ...options.host,
      ...approvalEnvironment(approvals),
      logger: stderrLogger,
    });
    const leaving = listenForSignals();
    try {
      const session = await host.openSession(options.session);
      reportApprovals(session, approvals, { giveUp: true });
      reportStoreRecovery(session);
      const call = () => session.call({ name, arguments: raw }, { signal: leaving.signal });
      const outcome = await (values.json || follow
        ? printLines(session, call, follow)
        : printResult(session, name, call, format));
      printHints(outcome, follow || process.stdout.isTTY, session.facts);
      return outcome.kind === "ok" ? 0 : (leaving.code() ?? 1);
    } finally {
      await host.close();
      leaving.end();
    }
  },
});

async function printResult(
  session: Session,
  name: string,
  call: () => Promise<ToolOutcome>,
  format: "plain" | "markdown",
): Promise<ToolOutcome> {
  const { output, status } = toOutputStreams(process);
  // Markdown puts output into the result's code fence.
  const live = followCall(session, name, { output: format === "plain" ? output : undefined, status });
  const outcome = await call();
  const rest = live.end(formatToolResult(outcome, format));
  if (rest === "" && live.hasShown) return outcome;
  if (outcome.kind === "ok") console.log(rest);
  else console.error(rest);
  return outcome;
}

async function printLines(
  session: Session,
  call: () => Promise<ToolOutcome>,
  withUpdates: boolean,
): Promise<ToolOutcome> {
  let startedAt = 0;
  if (withUpdates)
    session.subscribe((event) => {
      if (event.type === "tool-start") startedAt = event.at;
      // Events are emitted in the context of the tool.
      if (event.type === "tool-update")
        bypassCapture(() => console.log(updateLine(event, Date.now() - startedAt)));
    });
  const outcome = await call();
  console.log(answerLine(outcome, { json: true, format: "plain" }));
  return outcome;
}

/** @param wasShown whether the output was printed */
function printHints(outcome: ToolOutcome, wasShown: boolean, { sandbox }: Session["facts"]): void {
  const { details } = outcome;
  if (outcome.kind === "ok") {
    if (details["status"] === "running")
      console.error("haft: the command ends with this session; haft run keeps a session open.");
    else if (Number(details["omittedBytes"] ?? 0) > 0 && !wasShown)
      console.error(
        "haft: the omitted output is deleted with this session; a terminal and --follow show more of it.",
      );
    if (process.stderr.isTTY && typeof details["transactionId"] === "string")
      console.error(`To revert it: ${undoLine(details["transactionId"])}`);
  } else if (outcome.code === "APPROVAL_UNAVAILABLE") {
    console.error(
      "haft: to approve it, use --approvals ask on a terminal, or --approvals wait and haft approvals answer.",
    );
  } else if (outcome.code === "FILE_NOT_FOUND" && sandbox?.mount === "none") {
    console.error(
      "haft: the sandbox does not contain the files of the folder; --sandbox-access ro mounts them.",
    );
  }
}
