import type { Decision } from "@haft/core";
import { answersIn, readMatrix } from "@haft/policy";
import { createHost } from "../../host/host.ts";
import { describeView } from "../describe-view.ts";
import { formatMatrix } from "../policy/format-matrix.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand, UsageError } from "../usage.ts";

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
    const tools = preview.tools();
    const missing = preview.missing();
    if (values.json) {
      console.log(JSON.stringify({ tools, missing, containment }));
      return 0;
    }
    const width = Math.max(...[...tools, ...missing].map(({ name }) => name.length));
    console.log(`Tools of a ${preview.facts.kind} session:`);
    for (const { name, description } of tools) {
      const { call } = await preview.explain(name);
      console.log(`  ${name.padEnd(width)}  ${firstSentence(description)}${call ? howCalled(call) : ""}`);
    }
    if (tools.length === 0) console.log("  none");
    const view = describeView(containment);
    if (view !== undefined) console.log(`\nCommands are ${view}`);
    if (missing.length > 0) console.log("\nMissing:");
    for (const { name, reason, fix } of missing) {
      console.log(`  ${name.padEnd(width)}  ${reason}`);
      if (fix !== undefined) console.log(`  ${" ".repeat(width)}  To have it: ${fix}`);
    }
    return 0;
  },
);

/** What policy says to calls of a tool that is there: nothing is said of those that just run. */
function howCalled({ effect, trace }: Pick<Decision, "effect" | "trace">): string {
  const { toSome, toOthers } = answersIn(trace);
  if (toSome === undefined) {
    return { allow: "", ask: " (asks first)", deny: " (every call is denied)" }[effect];
  }
  if (toSome === "ask") return " (asks for some calls)";
  return toOthers === "ask" ? " (asks first; some calls are denied)" : " (some calls are denied)";
}

function firstSentence(description: string): string {
  const end = description.search(/[.\n]/);
  return end < 0 ? description : description.slice(0, end);
}
