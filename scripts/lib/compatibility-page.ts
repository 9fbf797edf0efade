import type { Difference } from "../../test/compatibility/difference.ts";

type Differences = Readonly<Record<string, { file: string; rows: readonly Difference[] }>>;

const HEAD = `<!-- Made by "npm run verify:docs -- --update" from test/compatibility. -->

# Compatibility

Haft was built from descriptions of OpenClaw's tools, and takes what was written for those: the names, parameters and forms that
models learned. These are the places where it differs on purpose. Each row is made from a test that shows it: where Haft does
not do what the row says, that test fails.

"The descriptions" are what Haft was built from; where OpenClaw itself does something else, the row says so. Differences from
Codex in how a patch is placed are a matter of single lines and not listed here.
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
