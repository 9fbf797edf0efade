import type { HaftConfig } from "@haft/config";
import { readConfig } from "@haft/config/internal/document";
import { OPERATORS_FILE } from "@haft/config/internal/settings";
import {
  type KnownServer,
  listKnownServers,
  type StoredServers,
  readOperatorsFile,
  ServerChangeStore,
} from "@haft/host/internal/mcp";
import { findInstallTarget } from "@haft/plugin-loader/internal/check";
import { didYouMean, escapeInvisible, nearestNames } from "@haft/utils";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandError } from "../../errors.ts";
import { readStateValue } from "../location/state-value.ts";
import { readWorkspaceValue } from "../session-arguments.ts";

export interface McpValues {
  config?: string;
  workspace?: string;
  state?: string;
  json?: boolean;
}

export interface McpContext {
  file: string;
  storedServers: StoredServers;
  servers: readonly KnownServer[];
  noted: ServerChangeStore;
  stateDir: string;
  workspaceDir: string;
  roots: HaftConfig["roots"];
  allowPrivate: readonly string[];
}

export async function readMcpContext(values: McpValues): Promise<McpContext> {
  const workspaceDir = readWorkspaceValue(values.workspace);
  const stateDir = readStateValue(values.state);
  const target = findInstallTarget({ project: false, named: values.config, workspaceDir });
  const read = existsSync(target.file) ? await readConfig(target.file) : undefined;
  const file = join(target.folder, OPERATORS_FILE);
  const operatorsFile = readOperatorsFile(file);
  const configured = read?.config.mcp?.servers;
  return {
    file,
    storedServers: operatorsFile,
    servers: listKnownServers({ kept: operatorsFile, file, configured, configuration: target.file }),
    noted: new ServerChangeStore(stateDir, file),
    stateDir,
    workspaceDir,
    roots: read?.config.roots,
    allowPrivate: read?.config.network?.allowPrivate ?? [],
  };
}

export function findServer(name: string, { servers }: McpContext): KnownServer {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const hint = didYouMean(nearestNames(name, names, 1));
  const these =
    names.length === 0
      ? " No server is configured."
      : ` Configured servers: ${names.map(escapeInvisible).join(", ")}.`;
  throw commandError("MCP_SERVER_UNKNOWN", `There is no MCP server ${JSON.stringify(name)}.${hint || these}`);
}
