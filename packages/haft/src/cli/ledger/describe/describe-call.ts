import { escapeInvisible } from "@haft/core/internal";
import type { CallRecord } from "@haft/core/kernel";
import { textTable } from "@haft/policy";
import { changedFiles } from "../../../ledger/changed-files.ts";
import { coveredJson } from "../../../ledger/covered.ts";
import { factsOfCall } from "../../../ledger/facts-of-call.ts";
import { linesOfPlan } from "../../../ledger/lines-of-plan.ts";
import { isHead, textOfResult } from "../../../ledger/result-of-call.ts";

/** Everything that is kept of a call, secrets covered: what is not kept is said to be missing. */
export function describeCall(call: CallRecord): string {
  const facts = textTable(factsOfCall(call).map(([name, text]) => [name, escapeInvisible(text)]));
  return [
    facts.join("\n"),
    section("Arguments", call.args === undefined ? "(not kept)" : coveredJson(call.args)),
    section("Plan", linesOfPlan(call).join("\n")),
    ...changedFiles(call).map(({ path, diff = "", asAsked }) =>
      section(`Change of ${escapeInvisible(path)}${asAsked ? ", as it was asked for" : ""}`, diff),
    ),
    resultOf(call),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function resultOf({ result, outcome }: CallRecord): string {
  if (result === undefined) return outcome === undefined ? "" : section("Result", "(not kept)");
  const note = isHead(result) ? `, the beginning of ${result.bytes} bytes` : "";
  return section(`Result${note}`, textOfResult(result));
}

/** Line by line, so that no text passes for a line of ours. */
function section(title: string, text: string): string {
  if (text === "") return "";
  const lines = text.replace(/\n$/, "").split("\n");
  return [title, ...lines.map((line) => `  ${line.split("\t").map(escapeInvisible).join("\t")}`)].join("\n");
}
