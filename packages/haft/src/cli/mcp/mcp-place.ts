import { didYouMean, escapeInvisible, nearestNames } from "@haft/core/internal";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HaftConfig } from "../../config/haft-config.ts";
import { readConfig } from "../../config/read-config.ts";
import { hostError } from "../../errors.ts";
import { type KnownServer, knownServers } from "../../mcp/known-servers.ts";
import { NotedChanges } from "../../mcp/noted-changes.ts";
import { type KeptServers, readOperatorsFile } from "../../mcp/operators-file.ts";
import { findPlace } from "../../plugins/install/install-place.ts";
import { OPERATORS_FILE } from "../../settings/mcp-servers.ts";
import { readStateValue } from "../place/state-value.ts";
import { readWorkspaceValue } from "../session-arguments.ts";

export interface McpValues {
  config?: string;
  workspace?: string;
  state?: string;
  json?: boolean;
}

export interface McpPlace {
  file: string;
  kept: KeptServers;
  servers: readonly KnownServer[];
  noted: NotedChanges;
  stateDir: string;
  workspaceDir: string;
  roots: HaftConfig["roots"];
  allowPrivate: readonly string[];
}

export async function readMcpPlace(values: McpValues): Promise<McpPlace> {
  const workspaceDir = readWorkspaceValue(values.workspace);
  const stateDir = readStateValue(values.state);
  const place = findPlace({ project: false, named: values.config, workspaceDir });
  const read = existsSync(place.file) ? await readConfig(place.file) : undefined;
  const file = join(place.folder, OPERATORS_FILE);
  const kept = readOperatorsFile(file);
  const configured = read?.config.mcp?.servers;
  return {
    file,
    kept,
    servers: knownServers({ kept, file, configured, configuration: place.file }),
    noted: new NotedChanges(stateDir, file),
    stateDir,
    workspaceDir,
    roots: read?.config.roots,
    allowPrivate: read?.config.network?.allowPrivate ?? [],
  };
}

export function findServer(name: string, { servers }: McpPlace): KnownServer {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const hint = didYouMean(nearestNames(name, names, 1));
  const these =
    names.length === 0 ? " There are none yet." : ` There are ${names.map(escapeInvisible).join(", ")}.`;
  throw hostError("MCP_SERVER_UNKNOWN", `There is no MCP server ${JSON.stringify(name)}.${hint || these}`);
}
