import { sha256 } from "@haft/utils";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExportRecord } from "../wire/export.ts";
import { findBuildFolder } from "./page-files.ts";

/**
 * Returns the inspector's page as one HTML file with recorded runs, in pieces. It opens from a disk, sends no
 * requests, and runs only its own code. Records must already be masked.
 *
 * @param records Each run before its calls.
 * @param madeAt Milliseconds since the epoch.
 * @throws HaftError `PACKAGE_MISSING` when the build of the page is missing
 * @example
 * ```ts
 * import { createWriteStream } from "node:fs";
 * import { type ExportRecord, renderExportPage } from "@haft/inspector";
 * declare const records: AsyncIterable<ExportRecord>;
 * const file = createWriteStream("runs.html");
 * for await (const piece of renderExportPage(records, Date.now())) file.write(piece);
 * ```
 */
export async function* renderExportPage(
  records: AsyncIterable<ExportRecord>,
  madeAt: number,
): AsyncGenerator<string> {
  const folder = findBuildFolder("export");
  const [script, style, licences] = ["page.js", "page.css", "licences.md"].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  ) as [string, string, string];
  // A string's closing tag would end the element.
  const code = script.replaceAll("</script", "\\x3c/script").replaceAll("<!--", "\\x3c!--");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Haft</title>
<style>${style}</style>
<script type="module">${code}</script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. It sends no request.</noscript>
<script type="text/plain">
${licences.replaceAll("<", "&lt;")}</script>
<script type="application/x-ndjson" id="haft-data" data-made-at="${madeAt}">
`;
  // JSON must not contain markup.
  for await (const record of records) yield `${JSON.stringify(record).replaceAll("<", "\\u003c")}\n`;
  yield "</script>\n</body>\n</html>\n";
}

function hashOf(text: string): string {
  return `sha256-${sha256(text, "base64")}`;
}
