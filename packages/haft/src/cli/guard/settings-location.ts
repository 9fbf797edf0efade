import { type AgentSettings, type SettingsLocation, allSettings } from "@haft/guard/internal/agents";
import { homedir } from "node:os";
import { UsageError } from "../usage.ts";

export function getSettingsLocation(ofProject: boolean): SettingsLocation {
  return { home: homedir(), env: process.env, ...(ofProject && { project: process.cwd() }) };
}

export function findAgentSettings(names: readonly string[]): AgentSettings[] {
  return [...new Set(names)].map((name) => {
    const settings = allSettings.get(name);
    if (settings !== undefined) return settings;
    throw new UsageError(`There is no agent "${name}"; there are ${[...allSettings.keys()].join(", ")}.`);
  });
}
