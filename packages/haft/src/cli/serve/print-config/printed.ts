import { shellWord } from "../../../approvals/shell-word.ts";
import type { ServerCommand } from "./server-command.ts";

/** How a client is told of a server: paragraphs, and blocks that can be pasted. */
export type ClientConfig = (server: ServerCommand) => readonly string[];

/** Commands that are typed: to `add` what is printed, to `check` and to `remove` it; `start` is how the client is started then. */
export function commands(what: "add" | "check" | "remove" | "start", ...lines: string[]): string {
  return block(`sh ${what}`, lines.join("\n"));
}

/** What belongs into a file. */
export function file(language: "json" | "toml" | "markdown", path: string, text: string): string {
  return block(`${language} ${path}`, text);
}

function block(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``;
}

export function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

export function words(list: readonly string[]): string {
  return list.map(shellWord).join(" ");
}

/** `command`, `args` and, where something has to be said, `env`: what most clients take. */
export function stdioServer({ command, args, env }: ServerCommand): object {
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}

/** The variables of a server as options of a client's `mcp add`: `--env NAME=VALUE`. */
export function envOptions({ env }: ServerCommand, option = "--env"): string[] {
  return Object.entries(env).flatMap(([name, value]) => [option, `${name}=${value}`]);
}
