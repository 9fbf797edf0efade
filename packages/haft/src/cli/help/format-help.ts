import { findAction, type Command } from "../usage.ts";

/** Returns help for a command or one action. */
export function formatHelp(command: Command, name: string, action?: string): string {
  const { help } = command;
  if (action === undefined) return help;
  const { options: wanted } = findAction(command, name, action);
  const lines = help.split("\n");
  const usage = lines.filter((line) => `${line} `.startsWith(`haft ${name} ${action} `));
  const options = optionLines(help)
    .filter(({ option }) => option === "help" || option in wanted)
    .flatMap((each) => each.lines);
  const codes = lines.findIndex((line) => line.startsWith("Exit codes:"));
  return [usage, findParagraph(lines, action), options, lines.slice(codes)]
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n");
}

export function findParagraph(lines: readonly string[], action: string): string[] {
  const first = lines.findIndex((line) => new RegExp(`^${action} {2,}\\S`).test(line));
  if (first < 0) return [];
  const length = lines.slice(first + 1).findIndex((line) => !/^ {4,}\S/.test(line));
  return lines.slice(first, length < 0 ? undefined : first + 1 + length);
}

interface OptionLines {
  option: string;
  lines: string[];
  value?: string;
  about: string;
}

export function optionLines(help: string): OptionLines[] {
  const found: OptionLines[] = [];
  let open = false;
  for (const line of help.split("\n")) {
    const [, option, value, about] =
      /^ {2}(?:-\w, | {4})--([a-z-]+)(?: (\[?[A-Z]\S*))?(?: +(\S.*))?$/.exec(line) ?? [];
    if (option !== undefined) {
      found.push({ option, lines: [line], about: about ?? "", ...(value !== undefined && { value }) });
      open = true;
    } else if (open && /^ {12,}\S/.test(line)) {
      const last = found.at(-1)!;
      last.lines.push(line);
      last.about = `${last.about} ${line.trim()}`.trim();
    } else open = false;
  }
  return found;
}
