import type { ToolEffect, ToolFacts } from "@haft/core";
import type { GuardAgent } from "../contract/agent.ts";

const foreign = (name: string, pluginId: string, effects: readonly ToolEffect[]): ToolFacts => ({
  id: `${pluginId}/${name}`,
  name,
  pluginId,
  optional: false,
  effects,
  groups: [],
  builtIn: false,
});

const builtIn = (
  name: string,
  pluginId: string,
  group: string,
  effects: readonly ToolEffect[],
): ToolFacts => ({ ...foreign(name, pluginId, effects), groups: [group], builtIn: true });

export const haftTools = {
  exec: builtIn("exec", "commands", "runtime", ["execute"]),
  bash: builtIn("bash", "commands", "runtime", ["execute"]),
  process: builtIn("process", "commands", "runtime", ["execute"]),
  read: builtIn("read", "files", "fs", ["read"]),
  write: builtIn("write", "files", "fs", ["write"]),
  edit: builtIn("edit", "files", "fs", ["read", "write"]),
  apply_patch: builtIn("apply_patch", "files", "fs", ["read", "write"]),
  ls: builtIn("ls", "files", "fs", ["read"]),
  find: builtIn("find", "files", "fs", ["read"]),
  grep: builtIn("grep", "files", "fs", ["read"]),
  web_fetch: foreign("web_fetch", "web", ["network"]),
} as const;

/** Rules use the objects as keys. */
export function clientToolFacts({ id, clientTools }: GuardAgent): ToolFacts[] {
  return Object.entries(clientTools).map(([name, effects]) => foreign(name, id, effects));
}

const ANY: readonly ToolEffect[] = ["read", "write", "network", "message"];

export function mcpFacts(server: string, tool: string): ToolFacts {
  const groups = ["mcp", "unknown-effects"];
  return { ...foreign(tool, "mcp", ANY), groups, mcp: { server, tool }, effectsUnknown: true };
}

export function unknownFacts(agent: string, name: string): ToolFacts {
  return { ...foreign(name, agent, ANY), effectsUnknown: true };
}
