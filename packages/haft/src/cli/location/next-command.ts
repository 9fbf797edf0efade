import { shellWord } from "@haft/utils";
import { resolve } from "node:path";

interface CommandLocation {
  state?: unknown;
  config?: unknown;
  workspace?: unknown;
  root?: unknown;
}

const OF_STATE =
  /^haft (?:approvals|chat|config (?:show|trust|trusted|untrust)|explain|ledger|nodes|plugins|run|tools|undo)\b/;

const OF_CONFIG = /^haft (?:approvals|chat|ledger|plugins|run|undo)\b/;

let location: CommandLocation = {};

/** Stores this command line's options for suggested commands. */
export function rememberLocation(values: CommandLocation): void {
  location = values;
}

/** Adds `--config` and `--state` to a quoted command. */
export function nextCommand(command: string): string {
  const { state, config } = location;
  const add = (line: string, option: string, value: unknown, takes: RegExp) =>
    typeof value !== "string" || !takes.test(line) || line.includes(` ${option} `)
      ? line
      : `${line} ${option} ${shellWord(resolve(value))}`;
  return add(add(command, "--config", config, OF_CONFIG), "--state", state, OF_STATE);
}

export function undoLine(transactionId: string): string {
  const { workspace, root } = location;
  const named = typeof workspace === "string" ? [`--workspace ${shellWord(resolve(workspace))}`] : [];
  const roots = Array.isArray(root)
    ? root.map((one) => `--root ${shellWord(absoluteRoot(String(one)))}`)
    : [];
  return nextCommand(["haft undo", shellWord(transactionId), ...named, ...roots].join(" "));
}

export function withNextCommands(text: string): string {
  return text.replaceAll(/`(haft [^`]+)`/g, (_, command: string) => `\`${nextCommand(command)}\``);
}

export function absoluteRoot(text: string): string {
  const [, name, path, access] = /^([^=]+)=(.+?)(:ro|:rw)?$/.exec(text) ?? [];
  return name === undefined || path === undefined ? text : `${name}=${resolve(path)}${access ?? ""}`;
}
