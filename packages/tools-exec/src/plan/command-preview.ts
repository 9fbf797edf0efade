import type { CommandOutline, OutlinedCommand } from "@haft/commands";
import type { ContentBlock, Place } from "@haft/core";
import { promptText } from "@haft/core";
import { text } from "@haft/plugin-sdk";
import { HOST_OF } from "../exec/refuse-request.ts";

/** Programs listed. */
const MAX_LISTED = 50;

/** What a person sees of a command before deciding: where, the whole text with nothing hidden, and what it comes to. */
export function showCommand(
  outline: CommandOutline,
  { place, env }: { place: Place; env: Readonly<Record<string, string>> },
): readonly ContentBlock[] {
  const { commands, cwd, unclear } = outline;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const parts = [
    `Host: ${HOST_OF[place]}`,
    `CWD: ${onOneLine(cwd)}`,
    ...(variables.length === 0 ? [] : [`Variables:\n${fenced("", variables.join("\n"))}`]),
    `Command:\n${fenced("sh", outline.text)}`,
    unclear === undefined
      ? `Runs:\n${listed(commands)}`
      : `Unclear: ${onOneLine(unclear)}. Which programs it runs is not certain; it would run as a whole.`,
  ];
  return [text(parts.join("\n"))];
}

function listed(commands: readonly OutlinedCommand[]): string {
  const lines = commands.slice(0, MAX_LISTED).map(({ name, path, builtin, cwd, through }) => {
    const behind = through.length === 0 ? "" : ` (through ${through.join(", ")})`;
    return `- ${onOneLine(`${name}: ${path ?? (builtin === true ? "the shell itself" : "not found")}${behind}, in ${cwd}`)}`;
  });
  if (commands.length > MAX_LISTED) lines.push(`- … and ${commands.length - MAX_LISTED} more`);
  return lines.join("\n");
}

function onOneLine(value: string): string {
  return promptText(value).replaceAll("\n", "\\n");
}

/** Nothing in it ends the fence. */
function fenced(language: string, value: string): string {
  const body = promptText(value);
  const longest = Math.max(2, ...(body.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}
