import type { CallExplanation } from "@haft/core";
import { formatExplanation } from "@haft/policy";
import { createHost } from "../host.ts";
import { readSessionValues, sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { parse, UsageError, type Command } from "../usage.ts";

const help = `haft explain TOOL [JSON] [options]

Says what would happen to a tool, or to one call of it, without running anything: which rule
decides, every rule that was looked at, and the smallest change that would flip the answer.

  haft explain write --session group
  haft explain read '{"path":"README.md"}'

      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when it would run, 1 when not (or not without asking), 2 for wrong usage.`;

const VERDICTS: Record<CallExplanation["verdict"], string> = {
  runs: "is allowed to run",
  asks: "is allowed to run after approval",
  hidden: "is not visible to the model, and a call would be blocked",
  denied: "would be blocked",
  "invalid-arguments": "would be refused: the arguments are wrong",
  fails: "would fail before it ran",
  loop: "would be blocked by the loop guard",
  broken: "is not available",
  unknown: "does not exist",
};

export const explainCommand: Command = {
  name: "explain",
  summary: "which rule decides about a call",
  help,
  async run(args) {
    const { values, positionals } = parse(
      args,
      { ...sessionArguments, json: { type: "boolean" } },
      "explain",
    );
    const [name, json, ...rest] = positionals;
    if (name === undefined)
      throw new UsageError("Which tool? haft explain TOOL [JSON]; haft tools --all lists them.");
    if (rest.length > 0) throw new UsageError("The arguments are one JSON text; put quotes around it.");
    const options = await readSessionValues(values);
    const host = await createHost(options.host);
    const preview = await host.preview(options.session);
    const explanation = await preview.explain(name, json);
    if (values.json) {
      console.log(JSON.stringify(explanation));
    } else {
      print(explanation);
      if (explanation.visibility) {
        const policy = host.policy.explain(preview.facts, explanation.toolName ?? name);
        console.log(`\n${formatExplanation(policy).trimEnd()}`);
      }
    }
    return explanation.verdict === "runs" ? 0 : 1;
  },
};

/** What the trace below does not say. */
function print({
  asked,
  toolName = asked,
  verdict,
  session,
  reason,
  fix,
  nearest,
  visibility,
}: CallExplanation): void {
  console.log(`${toolName} in a ${session.kind} session ${VERDICTS[verdict]}.`);
  const decidedByPolicy = visibility && verdict !== "invalid-arguments" && verdict !== "loop";
  if (decidedByPolicy) return;
  console.log(`  ${reason}`);
  if (fix !== undefined) console.log(`  To change it: ${fix}`);
  if (nearest && nearest.length > 0) console.log(`  Did you mean ${nearest.join(" or ")}?`);
}
