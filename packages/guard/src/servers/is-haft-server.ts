import { findHaftFolder, realPathOrSelf } from "@haft/config/internal/boundary";
import { getExportedEnvironment } from "@haft/config/internal/settings";
import { readText } from "@haft/system";
import { parse, type ParseError } from "jsonc-parser";
import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { parse as parseToml } from "smol-toml";
import type { AgentId } from "../contract/payload.ts";
import type { SettingsLocation } from "../settings/agent-settings.ts";
import { listRecords } from "../settings/json-entry.ts";
import { type EndpointAddress, isHaftEndpoint } from "./is-haft-endpoint.ts";
import { commandAndArgs, serverFiles, type McpServerCommand } from "./server-files.ts";

/** Bytes. */
const LARGEST = 16 * 1024 * 1024;

export interface ServerCheckContext extends Pick<SettingsLocation, "home" | "env"> {
  agent: AgentId;
  /** Absolute. A project in or above them can name the server. */
  folders: readonly string[];
  policyFile?: string | undefined;
  /** Absolute paths of the rules. */
  files?: readonly string[];
  /** Default: the Node of this process. */
  node?: string;
}

/**
 * Returns whether an MCP server of an agent is this installation of Haft, which decides by the same rules. A repository can name any server
 * `haft`. So the user's configuration must start this program without options that change the rules, or call its running endpoint. No
 * configuration of a project or the machine may contain the name.
 *
 * @example
 * ```ts
 * import { isHaftServer } from "@haft/guard/internal/agents";
 * const place = { home: "/home/me", env: process.env };
 * const decidesItself = isHaftServer("haft", { agent: "claude", folders: [process.cwd()], ...place });
 * ```
 */
export function isHaftServer(name: string, from: ServerCheckContext): boolean {
  const { agent, folders, policyFile, files: rules = [], node = process.execPath, ...location } = from;
  const files = serverFiles[agent]?.(location);
  if (files === undefined) return false;
  const above = [...new Set(folders.flatMap(upwards))].flatMap((folder) =>
    files.projectFiles.map((file) => join(folder, file)),
  );
  const isUserFile = (path: string) =>
    files.userFiles.some((each) => realPathOrSelf(each) === realPathOrSelf(path));
  try {
    for (const path of [...files.machineFiles, ...above])
      if (existsSync(path) && !isUserFile(path) && files.servers(read(path), name).length > 0) return false;
    const named = files.userFiles
      .filter((path) => existsSync(path))
      .flatMap((path) => files.servers(read(path), name));
    return (
      named.length > 0 &&
      listRecords(named).length === named.length &&
      listRecords(named).every((server) => {
        const started = (files.readCommand ?? commandAndArgs)(server);
        if (isThisHaft(started, { policyFile, node })) return true;
        const called = files.supportsHttp === true ? calledAt(server, location.env) : undefined;
        return (
          called !== undefined && isHaftEndpoint(called, { env: location.env, policyFile, files: rules })
        );
      })
    );
  } catch {
    // Unreadable data is no proof.
    return false;
  }
}

function read(path: string): Record<string, unknown> {
  const text = readText(path, LARGEST).replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const value: unknown = path.endsWith(".toml")
    ? parseToml(text)
    : parse(text, errors, { allowTrailingComma: true });
  const [record] = listRecords([value]);
  if (record === undefined || errors.length > 0) throw new Error(`${path} cannot be read`);
  return record;
}

/** Selects other rules than the hook, or another store. */
const OTHERWISE = /^--(?:config|no-config|policy|admin-policy|state|http|print-config)(?:=|$)/;

function isThisHaft(
  started: McpServerCommand | undefined,
  { policyFile, node }: { policyFile: string | undefined; node: string },
): boolean {
  if (started === undefined) return false;
  const { command, args, env } = started;
  const here = getExportedEnvironment();
  if (!Object.entries(env).every(([key, value]) => Object.hasOwn(here, key) && here[key] === value))
    return false;
  const program = realPathOrSelf(onPath(command));
  const isNode = program === realPathOrSelf(node);
  const rest = isNode ? args.slice(args.findIndex((word) => !isSourceFlag(word))) : [command, ...args];
  const [file = "", action, ...options] = rest;
  if (!haftPrograms().includes(realPathOrSelf(isNode ? file : program)) || action !== "serve") return false;
  const withoutPolicy = withoutOption(options, policyFile);
  return withoutPolicy !== undefined && !withoutPolicy.some((word) => OTHERWISE.test(word));
}

function isSourceFlag(word: string): boolean {
  return word.startsWith("--conditions=") && process.execArgv.includes(word);
}

function withoutOption(options: readonly string[], policyFile: string | undefined): string[] | undefined {
  if (policyFile === undefined) return [...options];
  const at = options.findIndex((word) => word === "--policy" || word.startsWith("--policy="));
  if (at < 0) return undefined;
  const isTwo = options[at] === "--policy";
  const value = isTwo ? options[at + 1] : options[at]!.slice("--policy=".length);
  if (value === undefined || !isAbsolute(value) || realPathOrSelf(value) !== realPathOrSelf(policyFile))
    return undefined;
  return options.toSpliced(at, isTwo ? 2 : 1);
}

function haftPrograms(): string[] {
  const haft = findHaftFolder();
  if (haft === undefined) return [];
  const main = import.meta.url.endsWith(".ts") ? "src/cli/main.ts" : "dist/cli/main.js";
  return [main, "bin/haft.mjs"].map((file) => realPathOrSelf(join(haft, file)));
}

function onPath(command: string): string {
  if (isAbsolute(command)) return command;
  if (command.includes("/")) return "";
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, command)).find((path) => existsSync(path)) ?? "";
}

function upwards(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...upwards(dirname(folder))];
}

/** Other keys could change the address or headers. */
const KNOWN = new Set(
  "type url headers http_headers bearer_token_env_var enabled tools timeout startup_timeout_sec tool_timeout_sec".split(
    " ",
  ),
);
const TYPES: readonly unknown[] = [undefined, "http", "streamable-http", "remote"];
const HEADERS: readonly string[] = ["authorization", "haft-session"];

/** `undefined` for other servers. */
function calledAt(server: Record<string, unknown>, env: NodeJS.ProcessEnv): EndpointAddress | undefined {
  const { type, url, bearer_token_env_var: variable } = server;
  const headers = Object.entries<unknown>({
    ...Object(server["headers"]),
    ...Object(server["http_headers"]),
  });
  const isPlain =
    typeof url === "string" &&
    TYPES.includes(type) &&
    Object.keys(server).every((key) => KNOWN.has(key)) &&
    headers.every(([name]) => HEADERS.includes(name.toLowerCase()));
  if (!isPlain) return undefined;
  const tokens = [
    ...(typeof variable === "string" ? [env[variable]] : []),
    ...headers
      .filter(([name]) => name.toLowerCase() === "authorization")
      .map(([, value]) => tokenIn(String(value), env)),
  ];
  const [token, more] = tokens;
  return token === undefined || token === "" || more !== undefined ? undefined : { url, token };
}

function tokenIn(header: string, env: NodeJS.ProcessEnv): string | undefined {
  const text = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  const name = /^(?:\$\{(\w+)\}|\{env:(\w+)\})$/.exec(text);
  return name === null ? text : env[name[1] ?? name[2] ?? ""];
}
