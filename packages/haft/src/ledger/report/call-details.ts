import type { CallRecord } from "@haft/core/kernel";
import { changedFiles, type ChangedFile } from "../changed-files.ts";
import { coveredJson } from "../covered.ts";
import { factsOfCall } from "../facts-of-call.ts";
import { linesOfPlan } from "../lines-of-plan.ts";
import { isHead, textOfResult } from "../result-of-call.ts";
import { html, htmlLines } from "./escape-html.ts";

/** Everything that is kept of a call, below its line. */
export function callDetails(call: CallRecord): string {
  const parts = [...changedFiles(call).map(changeOf), argumentsOf(call), resultOf(call), planOf(call)];
  return `<div class="inside"><div>${facts(call)}</div><div>${parts.join("")}</div></div>`;
}

function facts(call: CallRecord): string {
  const rows = factsOfCall(call).map(([name, text]) => `<dt>${name}</dt><dd>${html(text)}</dd>`);
  return `<dl class="facts">${rows.join("")}</dl>`;
}

function argumentsOf({ args }: CallRecord): string {
  if (args === undefined) return '<p class="soft">Its arguments were not kept.</p>';
  return `<h3>Arguments</h3><pre>${htmlLines(coveredJson(args))}</pre>`;
}

function changeOf({ path, kind, diff, asAsked }: ChangedFile): string {
  const note = asAsked ? ", as it was asked for" : "";
  const title = `<h3>${kind === undefined ? "Change of" : html(kind)} <code>${html(path)}</code>${note}</h3>`;
  return diff === undefined ? title : `${title}<pre class="diff">${diffLines(diff)}</pre>`;
}

const CLASSES: Readonly<Record<string, string>> = { "+": "add", "-": "del", "@": "hunk" };

function diffLines(diff: string): string {
  // Their headers name the file again.
  const body = diff.replace(/^(?:---|\+\+\+) .*\n/gm, "");
  return htmlLines(body)
    .split("\n")
    .map((line) => `<span class="${CLASSES[line[0] ?? ""] ?? ""}">${line === "" ? " " : line}</span>`)
    .join("");
}

function resultOf(call: CallRecord): string {
  const { result } = call;
  if (result === undefined)
    return call.outcome === undefined ? "" : '<p class="soft">Its result was not kept.</p>';
  const head = isHead(result)
    ? `, of which the beginning was kept (${result.bytes.toLocaleString("en")} bytes in all)`
    : "";
  return `<h3>Result${head}</h3><pre>${htmlLines(textOfResult(result))}</pre>`;
}

function planOf(call: CallRecord): string {
  const lines = linesOfPlan(call);
  return lines.length === 0 ? "" : `<h3>Plan</h3><pre>${htmlLines(lines.join("\n"))}</pre>`;
}
