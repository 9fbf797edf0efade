import { noSuchAction, type Command } from "../usage.ts";

/**
 * The help of a command, or what of it is about one of its actions: its lines of usage, what it does, its options and the exit
 * codes. All help texts are written in one form, which a test holds.
 *
 * @throws UsageError when there is no such action
 */
export function helpOf(command: Command, name: string, action?: string): string {
  const { actions, help } = command;
  if (action === undefined) return help;
  const known = Object.hasOwn(actions ?? {}, action) ? actions?.[action] : undefined;
  if (known === undefined) throw noSuchAction(name, action, Object.keys(actions ?? {}));
  const lines = help.split("\n");
  const usage = lines.filter(
    (line) => line === `haft ${name} ${action}` || line.startsWith(`haft ${name} ${action} `),
  );
  const about = paragraphOf(lines, action);
  const wanted = known.options;
  const options = optionLines(help)
    .filter(({ option }) => wanted === undefined || option === "help" || wanted.includes(option))
    .flatMap((each) => each.lines);
  const codes = lines.findIndex((line) => line.startsWith("Exit codes:"));
  const sections = [usage, about, options, codes < 0 ? [] : lines.slice(codes)];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n");
}

/** What stands behind its name at the beginning of a line, and the indented lines that go on with it. */
export function paragraphOf(lines: readonly string[], action: string): string[] {
  const first = lines.findIndex((line) => new RegExp(`^${action} {2,}\\S`).test(line));
  if (first < 0) return [];
  const length = lines.slice(first + 1).findIndex((line) => !/^ {4,}\S/.test(line));
  return lines.slice(first, length < 0 ? undefined : first + 1 + length);
}

/** The first sentence that is no line of usage, on one line; for a paragraph, its own. */
export function firstSentence(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line !== "" && !line.startsWith("haft "));
  const text = lines.slice(Math.max(0, first)).map((line) => line.trim());
  const end = text.indexOf("");
  return /^.*?(?:[.:](?= |$)|$)/
    .exec(text.slice(0, end < 0 ? undefined : end).join(" "))![0]
    .replace(/:$/, ".");
}

/** An option in a help text. */
interface OptionLines {
  /** Its name without the dashes. */
  option: string;
  lines: string[];
  /** What its value is called; absent where it has none. */
  value?: string;
  /** What it is for, in one line. */
  about: string;
}

/** The options a help text explains, in its order: each begins with its name, and the lines that go on with it are indented further. */
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
