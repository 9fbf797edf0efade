import { textTable } from "../text/text-table.ts";
import type { Explanation, ExplainedStep } from "./explain.ts";

/** An explanation as text for people: the answer, the fix, then every rule that was looked at. */
export function formatExplanation(explanation: Explanation): string {
  const { tool, session } = explanation;
  const who = session.agentId === "" ? "" : ` (agent ${session.agentId})`;
  const title = `${tool} in a ${session.kind} session${who}`;
  if (!explanation.known) return `${title}\n\n  ${explanation.reason}\n`;
  const { visibility, call, trace } = explanation;
  const view = trace.find(({ layer, verdict }) => layer === "containment" && verdict === "pass");
  const answer = [
    ["visible", visibility.effect === "deny" ? "no" : "yes"],
    ["call", call.effect],
    ["because", call.reason],
    ...(view === undefined ? [] : [["commands", view.rule]]),
    ...(call.everyTime === undefined ? [] : [["every time", call.everyTime]]),
    ...(call.fix === undefined ? [] : [["to change", call.fix]]),
    ...(call.shadow === undefined ? [] : [["in shadow", `${call.shadow.effect}: ${call.shadow.reason}`]]),
    ["decision", call.id],
  ];
  const lines = [title, "", ...indent(textTable(answer)), "", "Looked at, in order:", ""];
  return `${[...lines, ...textTable(collapse(trace).map(stepRow))].join("\n")}\n`;
}

/** Passed rules in a row beyond this many are summed up. */
const shownPasses = 5;

type Line = ExplainedStep | { skipped: number; layer: string };

function collapse(trace: readonly ExplainedStep[]): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < trace.length;) {
    let end = at;
    while (trace[end]?.verdict === "pass" && trace[end]!.layer === trace[at]!.layer) end++;
    if (end - at > shownPasses) {
      lines.push(...trace.slice(at, at + shownPasses - 1));
      lines.push({ skipped: end - at - shownPasses + 1, layer: trace[at]!.layer });
    } else lines.push(...trace.slice(at, Math.max(end, at + 1)));
    at = Math.max(end, at + 1);
  }
  return lines;
}

function stepRow(line: Line): string[] {
  if ("skipped" in line) return ["  ", line.layer, "pass", `… ${line.skipped} more that do not match`];
  return [line.decided ? " →" : "  ", line.layer, line.verdict, line.rule, line.source];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
