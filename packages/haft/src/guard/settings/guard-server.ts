import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { randomBytes } from "node:crypto";
import { shellWord } from "../../approvals/shell-word.ts";
import { DECIDE, SERVED } from "../hook/inside.ts";
import { type GuardLine, hookWords, startOf } from "./guard-line.ts";
import { cut, insert, jsonSettings, madeFor, of, recordsIn, rootOf } from "./json-entry.ts";

/** How such servers are called. */
const NAME = /^haft-guard-[0-9a-f]{12}$/;
/** What a hook's tool is told of a call; the agent fills it in. */
const INPUT = Object.fromEntries(
  [
    "session_id",
    "cwd",
    "hook_event_name",
    "permission_mode",
    "tool_name",
    "tool_input",
    "agent_id",
    "agent_type",
  ].map((field) => [field, `\${${field}}`]),
);

/**
 * A name that no repository can know: hooks name a server, and of two with one name it is the repository's that Claude Code starts and
 * asks.
 */
export function newServerName(): string {
  return `haft-guard-${randomBytes(6).toString("hex")}`;
}

/** Whether what a hook starts, or calls, is such a server. */
export function isServerName(text: unknown): text is string {
  return typeof text === "string" && NAME.test(text);
}

/** The hook that calls it. */
export function serverHook(server: string): object {
  return { type: "mcp_tool", server, tool: DECIDE, input: INPUT };
}

/** The server that a hook of settings calls, where it is one of the guard's. */
export function serverOf(hook: Readonly<Record<string, unknown>>): string | undefined {
  const { type, server, tool } = hook;
  return type === "mcp_tool" && tool === DECIDE && isServerName(server) ? server : undefined;
}

/** Whether a hook of settings that calls one lets calls run when that does not answer. */
export function isLenient(text: string, server: string): boolean {
  const [hooks = {}] = recordsIn([jsonSettings(text)["hooks"]]);
  const entries = Object.values(hooks).flatMap((list) => recordsIn(list));
  const calling = entries
    .flatMap((entry) => recordsIn(entry["hooks"]))
    .filter((hook) => serverOf(hook) === server);
  return calling.some((hook) => hook["onFailure"] !== "block");
}

/** Servers of the guard that are named in a configuration, by their names. @throws Error saying what is wrong with it */
export function ownServers(text: string): Map<string, Record<string, unknown>> {
  return new Map(nodesOf(text).map((node) => [nameOf(node), valueOf(node)]));
}

/** A configuration with this one of the guard's servers, or with none. @throws as {@link ownServers} */
export function withServer(text: string | undefined, line: GuardLine | undefined): string | undefined {
  const name = line?.server;
  const server = name === undefined ? undefined : commandOf(line!);
  if (text === undefined)
    return name === undefined
      ? undefined
      : `${JSON.stringify({ mcpServers: { [name]: server } }, undefined, 2)}\n`;
  const own = ownServers(text);
  if (name !== undefined && own.size === 1 && JSON.stringify(own.get(name)) === JSON.stringify(server))
    return text;
  let rest = text;
  for (let [node] = nodesOf(rest); node !== undefined; [node] = nodesOf(rest))
    rest = cut(rest, madeFor([node]));
  if (name === undefined) return isNothing(rest, text) ? undefined : rest;
  const piece = `${JSON.stringify(name)}:${JSON.stringify(server)}`;
  if (rest.trim() === "") return `${rest}{"mcpServers":{${piece}}}`;
  const root = rootOf(rest);
  const servers = findNodeAtLocation(root, ["mcpServers"]);
  return servers === undefined
    ? insert(rest, root, `"mcpServers":{${piece}}`, 1)
    : insert(rest, of(servers, "object", "mcpServers"), piece, 2);
}

/** The line that starts it, as a shell would be told. */
export function lineOfServer({ command, args, env }: Record<string, unknown>): string {
  if (command === "/bin/sh" && Array.isArray(args) && args[0] === "-c") return String(args[1]);
  const variables = Object.entries(Object(env) as Record<string, unknown>).map(
    ([key, value]) => `${key}=${String(value)}`,
  );
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].map(String);
  return [...(variables.length > 0 ? ["env", ...variables] : []), ...words].map(shellWord).join(" ");
}

function commandOf(line: GuardLine): object {
  // A shell fills in the variables that are passed on, and nothing limits how long a server runs.
  const start = startOf({ ...line, watchdog: [] }, [SERVED, ...hookWords("claude", "PreToolUse", line)]);
  return { type: "stdio", command: "/bin/sh", args: ["-c", `exec ${start}`], env: {} };
}

/** The file was the guard's alone. */
function isNothing(rest: string, before: string): boolean {
  return (
    before !== rest &&
    /^\{\s*(?:"mcpServers":\s*\{\s*\})?\s*\}\n$/.test(rest) &&
    before.startsWith('{\n  "mcpServers": {\n')
  );
}

function nodesOf(text: string): Node[] {
  if (text.trim() === "") return [];
  const servers = findNodeAtLocation(rootOf(text), ["mcpServers"]);
  if (servers?.type !== "object") return [];
  return (servers.children ?? []).filter(
    (node) => NAME.test(nameOf(node)) && recordsIn([valueOf(node)]).length > 0,
  );
}

const nameOf = (node: Node) => String(node.children?.[0]?.value);
const valueOf = (node: Node) => getNodeValue(node.children![1]!) as Record<string, unknown>;
