import { shellWord } from "@haft/utils";
import { resolve } from "node:path";

interface Place {
  state?: unknown;
  config?: unknown;
  workspace?: unknown;
  root?: unknown;
}

const OF_STATE =
  /^haft (?:approvals|chat|config (?:show|trust|trusted|untrust)|explain|ledger|nodes|plugins|run|tools|undo)\b/;

const OF_CONFIG = /^haft (?:approvals|chat|ledger|run|undo)\b/;

let place: Place = {};

/** Of the command line that runs now: what it says to do next is about the same place. */
export function rememberLocation(values: Place): void {
  place = values;
}

/** A command to be run next, which looks where this one does. Words in it are quoted already. */
export function nextCommand(command: string): string {
  const { state, config } = place;
  const add = (said: string, option: string, value: unknown, takes: RegExp) =>
    typeof value !== "string" || !takes.test(said) || said.includes(` ${option} `)
      ? said
      : `${said} ${option} ${shellWord(resolve(value))}`;
  return add(add(command, "--config", config, OF_CONFIG), "--state", state, OF_STATE);
}

export function undoLine(transactionId: string): string {
  const { workspace, root } = place;
  const named = typeof workspace === "string" ? [`--workspace ${shellWord(resolve(workspace))}`] : [];
  const roots = Array.isArray(root)
    ? root.map((one) => `--root ${shellWord(absoluteRoot(String(one)))}`)
    : [];
  return nextCommand(["haft undo", shellWord(transactionId), ...named, ...roots].join(" "));
}

export function withNextCommands(text: string): string {
  return text.replaceAll(/`(haft [^`]+)`/g, (_, command: string) => `\`${nextCommand(command)}\``);
}

/** `NAME=DIR:rw`, from wherever it is said again. */
export function absoluteRoot(text: string): string {
  const [, name, path, access] = /^([^=]+)=(.+?)(:ro|:rw)?$/.exec(text) ?? [];
  return name === undefined || path === undefined ? text : `${name}=${resolve(path)}${access ?? ""}`;
}
