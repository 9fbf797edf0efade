import { readMatrix } from "@haft/policy";
import { createHost } from "../../host/host.ts";
import { formatMatrix } from "../policy/format-matrix.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";
import { describeSession } from "./describe-session.ts";

const help = `haft tools [options]

Shows the tools a session would have, and for every other registered tool the reason why it
is missing and the smallest change that would bring it back.

      --all                 all session kinds side by side, as a table
      --json                for programs: {"tools":[…],"missing":[…],"containment":{…}}; with --all
                            {"rows":[…]}, as haft policy matrix has them

${sessionArgumentsHelp}

Exit codes: 0 when the tools were shown, 1 when not (a configuration or policy with problems), 2 for
wrong usage.`;

export const toolsCommand = defineCommand(
  help,
  { ...sessionArguments, json: { type: "boolean" }, all: { type: "boolean" } },
  async (values, [word]) => {
    if (word !== undefined)
      throw new UsageError(
        `haft tools takes no "${word}"; haft explain ${word} says what holds for one tool.`,
      );
    const options = await readSessionValues(values);
    const host = await createHost(options.host);
    if (values.all) {
      const { policy, catalogue } = host;
      console.log(
        values.json
          ? JSON.stringify({ rows: readMatrix(policy, catalogue) })
          : formatMatrix(policy, catalogue),
      );
      return 0;
    }
    const preview = await host.preview(options.session);
    const containment = await host.containment(options.session);
    if (values.json) {
      console.log(JSON.stringify({ tools: preview.tools(), missing: preview.missing(), containment }));
      return 0;
    }
    console.log(await describeSession(preview, containment));
    return 0;
  },
);
