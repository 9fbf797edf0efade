import { collectNames, type Names, type Shape, shapeText } from "../../packages/haft/test/cli/json/shape.ts";

/** A command, as far as the page shows it. */
interface PageCommand {
  name: string;
  help: string;
}

/** What commands print. */
interface Printed {
  /** By the line that prints them. */
  shapes: Readonly<Record<string, Shape>>;
  names: Names;
  errorShape: Shape;
  /** A part of several help texts. */
  sessionOptions: string;
}

const HEAD = `<!-- Made by "npm run verify:docs -- --update" from the help of each command and packages/haft/test/cli/json/shapes.ts. -->

# The haft command

\`haft help COMMAND\` prints the text that stands here, \`haft help COMMAND ACTION\` what of it is about one of its actions.
\`haft --completions bash\` (zsh, fish) prints what a shell completes when you press tab.

- **Data is on standard output**, everything else (what went wrong, what a host has to tell, questions) on standard error. What
  is on a terminal for the moment alone, like the time a command takes so far, is on standard error as well, and only there.
- **Exit codes** are the same everywhere: 0 when it is as it should be, 1 when it is not, 2 for a command line that is wrong, and
  128 and the number of the signal when one ended it (130 for Ctrl-C). What "as it should be" means stands with each command.
- **\`--json\`** prints one line of JSON (schemas take several), in the shape that stands with each command. Members may be added;
  those that are here stay and keep their meaning. A command that fails prints this line instead, beside the words on standard
  error:
`;

const ERROR_NOTE = `\`error\` is a code of [the table of errors](errors.md), or \`USAGE\` where the command line is wrong. \`haft run --json\` prints answers
and nothing else.
`;

/** The page of all commands: their help, and the shapes of what they print for programs. */
export function formatCommandPage(
  commands: readonly PageCommand[],
  { shapes, names, errorShape, sessionOptions }: Printed,
): string {
  const shapesOf = (name: string) =>
    Object.entries(shapes).filter(([line]) => line === name || line.startsWith(`${name} `));
  const sections = commands.map(({ name, help }) => {
    // They are the same everywhere, and long.
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
    `## What several of them print\n\nTimes are milliseconds since the epoch.\n\n${block(named.join("\n").trimEnd())}`,
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function block(text: string): string {
  return `\`\`\`ts fragment\n${text}\n\`\`\`\n`;
}
