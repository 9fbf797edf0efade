import { formatToolResult } from "@haft/core";
import { text as readAll } from "node:stream/consumers";
import { createHost } from "../../host/host.ts";
import { approvalEnvironment, tellOfApprovals } from "../approvals/approval-options.ts";
import { answerLine } from "../run/answers.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { defineCommand, oneOf, UsageError } from "../usage.ts";

const help = `haft call TOOL [JSON] [options]

Runs one call in a fresh session and prints its result. JSON are the arguments; - reads
them from standard input.

  haft call read '{"path":"README.md","limit":5}'
  haft call write '{"path":"notes.txt","content":"hello"}'

      --json                print the whole outcome as one line
      --format FORMAT       markdown or plain; default: plain
      --approvals MODE      when the call needs approval: ask (the default on a terminal; Ctrl-C
                            denies), wait (until haft approvals answer) or deny (the default
                            without one)

${sessionArgumentsHelp}

Exit codes: 0 when the call succeeded, 1 when it did not, 2 for wrong usage.`;

export const callCommand = defineCommand(
  help,
  {
    ...sessionArguments,
    json: { type: "boolean" },
    format: { type: "string" },
    approvals: { type: "string" },
  },
  async (values, positionals) => {
    const [name, json, ...rest] = positionals;
    if (name === undefined) throw new UsageError("Which tool? haft call TOOL [JSON]; haft tools lists them.");
    if (rest.length > 0) throw new UsageError("The arguments are one JSON text; put quotes around it.");
    const format = oneOf("--format", values.format ?? "plain", ["plain", "markdown"]);
    const byDefault = process.stdin.isTTY && process.stderr.isTTY ? "ask" : "deny";
    const approvals = oneOf("--approvals", values.approvals ?? byDefault, ["ask", "wait", "deny"]);
    const options = await readSessionValues(values);
    const host = await createHost({
      ...options.host,
      ...approvalEnvironment(approvals),
      logger: stderrLogger,
    });
    try {
      const session = await host.openSession(options.session);
      tellOfApprovals(session, approvals, { giveUp: true });
      const raw = json === "-" ? await readAll(process.stdin) : json;
      const outcome = await session.call({ name, arguments: raw });
      const style = { json: true, format } as const;
      console.log(values.json ? answerLine(outcome, style) : formatToolResult(outcome, format));
      if ("code" in outcome && outcome.code === "APPROVAL_UNAVAILABLE") {
        console.error(
          "haft: to be asked, use --approvals ask on a terminal, or --approvals wait and haft approvals answer.",
        );
      }
      return outcome.kind === "ok" ? 0 : 1;
    } finally {
      await host.close();
    }
  },
);
