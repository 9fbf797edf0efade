import { readUserFile } from "@haft/config/internal/document";
import { type McpServerSettings, MCP_SERVER, findServerProblem } from "@haft/config/internal/settings";
import type { ToolEffect } from "@haft/core";
import { checkValue } from "@haft/core/internal";
import { type McpServer, type McpToolDefinition, readDefinition } from "@haft/mcp";
import { writePackageFile } from "@haft/plugin-loader/internal/plugins";
import { withPathLocks } from "@haft/tools-fs/engine";
import { asRecord, sha256 } from "@haft/utils";
import { chmodSync, existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { hostError } from "../errors.ts";

export interface AcceptedTools {
  at: number;
  /** Hashes the way to the server: another program is another server. */
  settings: string;
  era?: NonNullable<McpServer["era"]>;
  info?: { name: string; version?: string };
  tools: readonly McpToolDefinition[];
  effects?: Readonly<Record<string, readonly ToolEffect[]>>;
}

export interface StoredServer {
  settings?: McpServerSettings;
  accepted?: AcceptedTools;
}

export type StoredServers = Readonly<Record<string, StoredServer>>;

/** Bytes. */
const LARGEST = 16 * 1024 * 1024;
const EFFECTS = ["read", "write", "execute", "network", "message"];

/**
 * Reads the file; returns nothing if it does not exist.
 *
 * @throws HaftError `CONFIG_INVALID`, `CONFIG_UNSAFE` if another user could have written it
 */
export function readOperatorsFile(file: string): StoredServers {
  if (!existsSync(file)) return {};
  const found = readUserFile(join(realpathSync(dirname(file)), basename(file)), LARGEST);
  if (found === undefined) return {};
  if ("why" in found)
    throw hostError("CONFIG_UNSAFE", `${file} ${found.why}.`, {
      fix: "Make it a file that only you can write.",
    });
  const wrong = (why: string) =>
    hostError("CONFIG_INVALID", `${file}: ${why}`, {
      fix: "haft mcp writes this file; put back an earlier one, or remove it and add the servers again.",
    });
  let value: unknown;
  try {
    value = JSON.parse(found.text);
  } catch {
    throw wrong("it is not JSON.");
  }
  const servers = asRecord(asRecord(value)["servers"]);
  for (const [name, server] of Object.entries(servers)) {
    const problem = problemWith(name, asRecord(server));
    if (problem !== undefined) throw wrong(`servers.${name}: ${problem}`);
  }
  return servers as StoredServers;
}

/**
 * Changes the file under a lock.
 *
 * @throws HaftError as {@link readOperatorsFile}, and `FILE_BUSY`
 */
export async function changeOperatorsFile(
  file: string,
  change: (servers: StoredServers) => StoredServers,
): Promise<void> {
  await withPathLocks([{ path: file, real: file }], async () => {
    const servers = change(readOperatorsFile(file));
    const inOrder = Object.fromEntries(
      Object.entries(servers).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
    if (existsSync(file)) chmodSync(file, 0o600);
    writePackageFile(file, `${JSON.stringify({ servers: inOrder }, undefined, 2)}\n`);
  });
}

export function hashSettings(settings: McpServerSettings): string {
  const { command, args, env, cwd, url, headers, network, outside } = settings;
  const parts = [command, args, sorted(env), cwd, url, sorted(headers), network ?? "none", outside === true];
  return sha256(JSON.stringify(parts));
}

function sorted(record: Readonly<Record<string, string>> | undefined): unknown {
  return record && Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function problemWith(name: string, { settings, accepted }: Record<string, unknown>): string | undefined {
  if (settings !== undefined) {
    const [issue] = checkValue(MCP_SERVER, settings, 1);
    if (issue !== undefined) return `settings.${issue.path.join(".")} should be ${issue.expected}.`;
    const problem = findServerProblem(name, settings as McpServerSettings);
    if (problem !== undefined) return problem;
  }
  if (accepted === undefined) return undefined;
  const { at, settings: hash, tools, effects } = asRecord(accepted);
  if (typeof at !== "number" || typeof hash !== "string" || !Array.isArray(tools))
    return "accepted does not have the format of haft mcp.";
  if (tools.some((tool) => "problem" in readDefinition(tool)))
    return "accepted.tools contains an invalid tool.";
  const lists = Object.values(asRecord(effects));
  return lists.every(
    (list) => Array.isArray(list) && list.every((effect) => EFFECTS.includes(effect as string)),
  )
    ? undefined
    : `accepted.effects contains an unknown effect; known are ${EFFECTS.join(", ")}.`;
}
