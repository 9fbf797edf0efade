export interface Row {
  framework: string;
  packages: readonly string[];
  what: string;
  works: boolean;
}

/** Formats the results, a row for each package. */
export function formatTable(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ framework, packages }) => `${framework} | \`${packages[0]}\``);
  const lines = [...groups].map(([head, all]) => {
    const tested = all.map(({ what, works }) => (works ? what : `does not work: ${what}`));
    return `| ${head} | ${tested.map((text) => text.replaceAll("|", "\\|")).join("<br>")} |\n`;
  });
  return HEAD + lines.join("") + TAIL;
}

const HEAD = `# Tested versions of bridges

This page lists the packages with which the [bridges](../guides/bridges.md) were tested. \`npm run bridges -- --update\` writes it: it installs each published package into an empty
folder without scripts, and calls its tools through a session. Everything below works, unless the line says otherwise.

| Framework | Package | Tested |
| --- | --- | --- |
`;

const TAIL = `
Other versions may also work, because bridges read the shape of a tool and import no framework. The tests of \`packages/adapters\` cover more
cases, with the versions of AI SDK 7, \`@openai/agents-core\` and \`@langchain/core\` that this repository installs.
`;
