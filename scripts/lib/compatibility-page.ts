import type { Difference } from "../../test/compatibility/difference.ts";

type Differences = Readonly<Record<string, { file: string; rows: readonly Difference[] }>>;

const HEAD = `<!-- Made by "npm run verify:docs -- --update" from test/compatibility. -->

# Compatibility

Haft implements descriptions of OpenClaw's tools: the names, parameters and formats that models have learned. This page lists the
differences that exist on purpose. Each row has a test that fails if Haft does not do this.

"The descriptions" are the documents that Haft implements. If OpenClaw itself differs from them, the row says so. Differences from Codex
in the placement of patches concern single lines, and are not listed here.
`;

/** Formats Haft's differences from the tests that show them. */
export function formatCompatibilityPage(differences: Differences): string {
  const sections = Object.entries(differences).map(([topic, { file, rows }]) => {
    const test = `[test](../../test/compatibility/${file})`;
    return [
      `## ${topic}`,
      "",
      "| what | the descriptions, or OpenClaw | Haft | why | shown by |",
      "| --- | --- | --- | --- | --- |",
      ...rows.map(({ title, theirs, here, why }) => {
        const cells = [title, theirs, here, why].map((cell) => cell.replaceAll("|", "\\|"));
        return `| ${[...cells, test].join(" | ")} |`;
      }),
      "",
    ].join("\n");
  });
  return `${[HEAD, ...sections].join("\n").trimEnd()}\n`;
}
