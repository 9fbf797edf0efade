import { formatToolResult } from "@haft/core";
import { text as readAll } from "node:stream/consumers";
import { createHost } from "../host.ts";
import { answerLine } from "../run/answers.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { parse, UsageError, type Command } from "../usage.ts";

const help = `haft call TOOL [JSON] [options]

Runs one call in a fresh session and prints its result. JSON are the arguments; - reads
them from standard input.

  haft call read '{"path":"README.md","limit":5}'
  haft call write '{"path":"notes.txt","content":"hello"}'

      --json                print the whole outcome as one line
      --format FORMAT       markdown or plain; default: plain

${sessionArgumentsHelp}

Exit codes: 0 when the call succeeded, 1 when it did not, 2 for wrong usage.`;

export const callCommand: Command = {
  name: "call",
  summary: "run one call and print its result",
  help,
  async run(args) {
    const { values, positionals } = parse(
      args,
      { ...sessionArguments, json: { type: "boolean" }, format: { type: "string" } },
      "call",
    );
    const [name, json, ...rest] = positionals;
    if (name === undefined) throw new UsageError("Which tool? haft call TOOL [JSON]; haft tools lists them.");
    if (rest.length > 0) throw new UsageError("The arguments are one JSON text; put quotes around it.");
    const format = values.format ?? "plain";
    if (format !== "plain" && format !== "markdown")
      throw new UsageError(`--format is plain or markdown; got "${format}".`);
    const options = await readSessionValues(values);
    const host = await createHost(options.host);
    try {
      const session = await host.openSession(options.session);
      const raw = json === "-" ? await readAll(process.stdin) : json;
      const outcome = await session.call({ name, arguments: raw });
      const style = { json: true, format } as const;
      console.log(values.json ? answerLine(outcome, style) : formatToolResult(outcome, format));
      return outcome.kind === "ok" ? 0 : 1;
    } finally {
      await host.close();
    }
  },
};
