import { createHost } from "../../host/host.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { formatCallExplanation } from "./format-call-explanation.ts";

const help = `haft explain TOOL [JSON] [options]

Says what would happen to a tool, or to one call of it, without running anything: what it would
do, which rule decides, everything that was looked at, whether it was allowed for good, and the
smallest change that would flip the answer.

  haft explain write --session group
  haft explain exec '{"command":"git status | sh"}'

      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when it would run, 1 when not (or not without asking), 2 for wrong usage.`;

export const explainCommand = defineCommand(
  help,
  { ...sessionArguments, json: { type: "boolean" } },
  async (values, positionals) => {
    const [name, json, ...rest] = positionals;
    if (name === undefined)
      throw new UsageError("Which tool? haft explain TOOL [JSON]; haft tools --all lists them.");
    if (rest.length > 0) throw new UsageError("The arguments are one JSON text; put quotes around it.");
    const options = await readSessionValues(values);
    const host = await createHost(options.host);
    try {
      const preview = await host.preview(options.session);
      const explanation = await preview.explain(name, json);
      console.log(values.json ? JSON.stringify(explanation) : formatCallExplanation(explanation));
      return explanation.verdict === "runs" ? 0 : 1;
    } finally {
      await host.close();
    }
  },
);
