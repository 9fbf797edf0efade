import type { CallRecord } from "@haft/core/kernel";
import { createHash } from "node:crypto";
import { changedFiles } from "../changed-files.ts";
import { END_WORDS, endOfCall, type EndWord } from "../end-of-call.ts";
import { moment, took } from "../format-times.ts";
import type { RecordedRun } from "../recorded-run.ts";
import { html } from "./escape-html.ts";
import { defineMarks, mark } from "./marks.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { idOf, runSection } from "./run-section.ts";

/** Nothing of the page runs, and nothing is fetched: what a tool answered may be anybody's text. */
const CONTENT_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(PAGE_STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * Runs as one page that needs nothing else: calls on an axis of time, what they were given and answered, what they changed,
 * and what was decided about them by which rule. Secrets are covered, and no text in it is markup.
 *
 * @param now when it is made, for what has not ended
 */
export function formatReport(title: string, runs: readonly RecordedRun[], now: number): string {
  const calls = runs.flatMap((run) => run.calls);
  const words = [...new Set(calls.map(endOfCall))];
  const legend = words.map((word) => `<li>${mark(word)} ${END_WORDS[word]}</li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${html(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${defineMarks(words)}
<h1>${html(title)}</h1>
${totals(calls, words)}
${runs.map((run, index) => runSection(run, index, now)).join("\n")}
${filesOf(runs)}
${decisionsOf(runs)}
<h2>What the words mean</h2>
<ul class="legend">${legend.join("")}</ul>
<footer>Made ${moment(now)} by haft ledger export. Secrets are covered as far as they look like some; characters that cannot be seen are written out.</footer>
</body>
</html>
`;
}

function totals(calls: readonly CallRecord[], words: readonly EndWord[]): string {
  const real = calls.filter(({ status }) => status !== "gap");
  const ran = real.reduce(
    (sum, { startedAt, endedAt }) =>
      sum + (startedAt !== undefined && endedAt !== undefined ? endedAt - startedAt : 0),
    0,
  );
  const counts = words
    .filter((word) => word !== "gap")
    .map((word) => `<li><b>${calls.filter((call) => endOfCall(call) === word).length}</b>${mark(word)}</li>`);
  const files = new Set(real.flatMap((call) => changedFiles(call).map(({ path }) => path))).size;
  const asked = real.filter(({ approvalId, decidedBy }) => (approvalId ?? decidedBy) !== undefined).length;
  const more = [
    [String(real.length), real.length === 1 ? "call" : "calls"],
    [took(ran), "of tools at work"],
    [String(files), files === 1 ? "file changed by file tools" : "files changed by file tools"],
    [String(asked), asked === 1 ? "question to a person" : "questions to a person"],
  ].map(([count, what]) => `<li><b>${count}</b>${what}</li>`);
  return `<ul class="totals">${more.slice(0, 1).join("")}${counts.join("")}${more.slice(1).join("")}</ul>`;
}

function filesOf(runs: readonly RecordedRun[]): string {
  const byPath = new Map<string, string[]>();
  for (const [index, { calls }] of runs.entries())
    for (const call of calls)
      for (const { path } of changedFiles(call))
        byPath.set(path, [...(byPath.get(path) ?? []), linkTo(index, call)]);
  if (byPath.size === 0) return "";
  const rows = [...byPath].map(
    ([path, links]) => `<tr><td><code>${html(path)}</code></td><td>${links.join(", ")}</td></tr>`,
  );
  return `<h2>Files that file tools changed</h2><table><tr><th>file</th><th>by</th></tr>${rows.join("")}</table>`;
}

/** Each rule once, with the calls it decided about. */
function decisionsOf(runs: readonly RecordedRun[]): string {
  const byRule = new Map<string, { effect: string; reason: string; source: string; links: string[] }>();
  for (const [index, { calls }] of runs.entries())
    for (const call of calls) {
      const { decision } = call;
      if (decision === undefined) continue;
      const { effect, reason, rule = "", source = "" } = decision;
      const key = JSON.stringify([effect, rule, source, reason]);
      const row = byRule.get(key) ?? {
        effect,
        reason,
        source: [rule, source].filter(Boolean).join(" — "),
        links: [],
      };
      row.links.push(linkTo(index, call));
      byRule.set(key, row);
    }
  if (byRule.size === 0) return "";
  const rows = [...byRule.values()].map(
    ({ effect, reason, source, links }) =>
      `<tr><td>${html(effect)}</td><td>${html(reason)}<br><small>${html(source)}</small></td><td>${links.length > 12 ? `${links.slice(0, 12).join(", ")} and ${links.length - 12} more` : links.join(", ")}</td></tr>`,
  );
  return `<h2>Decisions</h2><table><tr><th>answer</th><th>why</th><th>calls</th></tr>${rows.join("")}</table>`;
}

function linkTo(run: number, call: CallRecord): string {
  return `<a href="#${idOf(run, call)}">${html(call.toolCallId)}</a>`;
}
