import { createHash } from "node:crypto";
import { END_WORDS, type EndWord } from "../end-of-call.ts";
import { moment } from "../format-times.ts";
import type { RunToRead } from "../recorded-run.ts";
import { html } from "./escape-html.ts";
import { defineMarks } from "./marks.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { ReportSummary } from "./report-summary.ts";
import { beginOfRun, callRow, END_OF_RUN, idOf } from "./run-section.ts";

/** Nothing of the page runs, and nothing is fetched: what a tool answered may be anybody's text. */
const CONTENT_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(PAGE_STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * Runs as one page that needs nothing else: calls on an axis of time, what they were given and answered, what they changed,
 * and what was decided about them by which rule. Secrets are covered, and no text in it is markup. In pieces: the calls are gone
 * through twice, for what is said of all of them and for each of them.
 *
 * @param now when it is made, for what has not ended
 */
export async function* formatReport(
  title: string,
  runs: readonly RunToRead[],
  now: number,
): AsyncGenerator<string> {
  const summary = new ReportSummary(now);
  for (const [index, { calls }] of runs.entries()) for await (const call of calls()) summary.add(index, call);
  yield `<!doctype html>
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
${defineMarks(Object.keys(END_WORDS) as EndWord[])}
<h1>${html(title)}</h1>
${summary.totals()}
`;
  for (const [index, { run, calls }] of runs.entries()) {
    const scale = summary.scaleOf(index);
    yield beginOfRun(run, scale);
    if (scale !== undefined)
      for await (const call of calls())
        if (summary.has(index, call)) yield `${callRow(call, idOf(index, call), scale, now)}\n`;
    yield END_OF_RUN;
  }
  yield `${summary.files()}
${summary.decisions()}
${summary.legend()}
<footer>Made ${moment(now)} by haft ledger export. Secrets are covered as far as they look like some; characters that cannot be seen are written out.</footer>
</body>
</html>
`;
}
