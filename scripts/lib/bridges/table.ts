/** One thing that was tried. */
export interface Row {
  framework: string;
  packages: readonly string[];
  what: string;
  works: boolean;
}

/** The page of what works. */
export function formatTable(rows: readonly Row[]): string {
  const lines = rows.map(({ framework, packages, what, works }) => {
    const cells = [framework, `\`${packages[0]}\``, what, works ? "works" : "does not work"];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  });
  return HEAD + lines.join("") + TAIL;
}

const HEAD = `# Bridges: what was tried

What the [bridges](../guides/bridges.md) were tried with: packages as they are published, installed into an empty folder without running
their scripts, their tools taken in and called through a session. This page is written by \`npm run bridges -- --update\`, which tries all of it.

| Framework | Package | What | Result |
| --- | --- | --- | --- |
`;

const TAIL = `
What was not tried may work, too: bridges go by the shape of a tool and import none of these packages. The tests of
\`packages/adapters\` hold more of it, with the versions of AI SDK 7, \`@openai/agents-core\` and \`@langchain/core\` that this repository installs.
`;
