import { asRecord } from "@haft/utils";
import { resolve } from "node:path";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { readCommand, findText } from "./fields.ts";
import { commandCalls, fetchCall, fileCall, type FileTool, mcpCalls, unknownCalls } from "./make-calls.ts";

/** What a call of one tool would do, by its arguments. */
type ReadCall = (input: unknown, cwd: string) => GuardCall[];
/** What a call would do whose tool may be one of a server; nothing where its name is not one of these. */
type ReadServerCall = (name: string, input: unknown, cwd: string) => GuardCall[] | undefined;

/**
 * A tool that takes a command line.
 *
 * @param as.names where that may stand, beside `command`
 * @param as.folder where the folder may stand in which it runs
 */
export function command(
  as: { names?: readonly string[]; folder?: readonly string[]; shell?: string } = {},
): ReadCall {
  const { names = [], folder = [], shell } = as;
  return (input, cwd) => {
    const named = findText(asRecord(input), ...folder);
    return commandCalls(readCommand(input, ...names), named === undefined ? cwd : resolve(cwd, named), shell);
  };
}

/** A tool about files, which stand under one of these names. */
export function files(tool: FileTool, ...names: readonly string[]): ReadCall {
  return (input, cwd) => [fileCall(tool, input, cwd, names)];
}

/** The same; where its arguments name none, it is about the current folder. */
export function filesOrCwd(tool: FileTool, ...names: readonly string[]): ReadCall {
  return (input, cwd) => [fileCall(tool, input, cwd, names, cwd)];
}

export const fetchTool: ReadCall = (input) => [fetchCall(input)];

/** Tools of servers whose names begin like this, with the server behind it. */
export function serverPrefix(prefix: string, separator: string): ReadServerCall {
  return (name, input) =>
    name.startsWith(prefix) ? mcpCalls(name.slice(prefix.length), separator, input) : undefined;
}

/** Tools of servers whose names only have a separator in them, as other tools may: each is taken for both. */
export function serverSeparator(separator: string): ReadServerCall {
  return (name, input, cwd) =>
    name.includes(separator)
      ? [...mcpCalls(name, separator, input), ...unknownCalls(name, input, cwd)]
      : undefined;
}

/** Reads calls of an agent: of tools that are in the table, of tools of its own, of servers, and of others. */
export function readCalls(
  tools: Readonly<Record<string, ReadCall>>,
  { clientTools }: Pick<GuardAgent, "clientTools">,
  ...ofServers: readonly ReadServerCall[]
): (name: string, input: unknown, cwd: string) => GuardCall[] {
  return (name, input, cwd) => {
    if (Object.hasOwn(tools, name)) return tools[name]!(input, cwd);
    if (Object.hasOwn(clientTools, name)) return [{ kind: "client", name, args: input }];
    for (const read of ofServers) {
      const found = read(name, input, cwd);
      if (found !== undefined) return found;
    }
    return unknownCalls(name, input, cwd);
  };
}
