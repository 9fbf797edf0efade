import { asRecord } from "@haft/utils";
import { resolve } from "node:path";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardCall } from "../contract/payload.ts";
import { readCommand, findText } from "./fields.ts";
import { commandCalls, fetchCall, fileCall, type FileTool, mcpCalls, unknownCalls } from "./make-calls.ts";

type ReadCall = (input: unknown, cwd: string) => GuardCall[];
type ReadServerCall = (name: string, input: unknown, cwd: string) => GuardCall[] | undefined;

/**
 * @param as.names Further names of `command`.
 * @param as.folder Names of the argument with the working folder.
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

export function files(tool: FileTool, ...names: readonly string[]): ReadCall {
  return (input, cwd) => [fileCall(tool, input, cwd, names)];
}

export function filesOrCwd(tool: FileTool, ...names: readonly string[]): ReadCall {
  return (input, cwd) => [fileCall(tool, input, cwd, names, cwd)];
}

export const fetchTool: ReadCall = (input) => [fetchCall(input)];

export function serverPrefix(prefix: string, separator: string): ReadServerCall {
  return (name, input) =>
    name.startsWith(prefix) ? mcpCalls(name.slice(prefix.length), separator, input) : undefined;
}

/** Other tools can have the separator in their names, so each call counts as both. */
export function serverSeparator(separator: string): ReadServerCall {
  return (name, input, cwd) =>
    name.includes(separator)
      ? [...mcpCalls(name, separator, input), ...unknownCalls(name, input, cwd)]
      : undefined;
}

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
