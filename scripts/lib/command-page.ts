import { collectNames, type Names, type Shape, shapeText } from "../../packages/haft/test/cli/json/shape.ts";

interface PageCommand {
  name: string;
  help: string;
}

interface Printed {
  /** By their printing line. */
  shapes: Readonly<Record<string, Shape>>;
  names: Names;
  errorShape: Shape;
  sessionOptions: string;
}

const HEAD = `<!-- Made by "npm run verify:docs -- --update" from the help of each command and packages/haft/test/cli/json/shapes.ts. -->

# The haft command

\`haft help COMMAND\` prints these texts, and \`haft help COMMAND ACTION\` the part about one action.
\`haft --completions bash\` (zsh, fish) prints a script that completes commands with the tab key.

- **Standard output contains data**, standard error everything else: errors, messages of a host, questions. Temporary output on a
  terminal, such as the elapsed time of a command, is on standard error as well, and only on a terminal.
- **Exit codes** are the same for all commands: 0 for success, 1 for failure, 2 for a wrong command line, and 128 plus the number
  of the signal after a signal (130 for Ctrl-C). Each command defines success and failure; \`chat\` and \`ledger replay\` also have 3
  and 4.
- **\`--json\`** prints one line of JSON (schemas take several) in the shape listed for each command. Later versions may add
  members; existing members stay and keep their meaning. If a command ends with an error, it prints this line
  instead, and the message on standard error. A failed result, such as the outcome of \`tools call\`, keeps its shape:
`;

const ERROR_NOTE = `\`error\` is a code of [the table of errors](errors.md), or \`USAGE\` for a wrong command line. \`haft run --json\` prints only answers.
`;

/** Formats all commands: help and output shapes for programs. */
export function formatCommandPage(
  commands: readonly PageCommand[],
  { shapes, names, errorShape, sessionOptions }: Printed,
): string {
  const shapesOf = (name: string) =>
    Object.entries(shapes).filter(([line]) => line === name || line.startsWith(`${name} `));
  const sections = commands.map(({ name, help }) => {
    // All commands share these long options.
    const text = help.replace(sessionOptions, "Session options: see below.");
    const title = `## haft ${name}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
    const printed = shapesOf(name).map(([line, shape]) => {
      const json = line.includes("--follow") || line.includes("--watch") ? "each line" : "";
      return `\`haft ${line}${line.includes("--follow") ? "" : " --json"}\`${json === "" ? "" : `, ${json}`}:\n\n${block(shapeText(shape))}`;
    });
    return [title, ...printed].join("\n");
  });
  const all = Object.values(shapes);
  const shared = [...new Set(all.flatMap((shape) => collectNames(shape, names)))].toSorted();
  const named = shared.map((name) => `type ${name} = ${shapeText(names[name]!)};\n`);
  const version = block(shapeText(shapes["--version"]!));
  return [
    HEAD,
    block(shapeText(errorShape)),
    ERROR_NOTE,
    ...sections,
    `## haft --version\n\n\`haft --version --json\`:\n\n${version}`,
    `## Session options\n\n\`\`\`text\n${sessionOptions}\n\`\`\`\n`,
    `## Shared types\n\nTimes are milliseconds since the epoch.\n\n${block(named.join("\n").trimEnd())}`,
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function block(text: string): string {
  return `\`\`\`ts fragment\n${text}\n\`\`\`\n`;
}
