import { rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { MODULE_HEADER } from "../settings/modules/module-text.ts";
import { changeAgentSettings, readAgentSettings, settingsError } from "./settings-file.ts";

/**
 * Checks the additional files of a guard module. Returns a function that writes them.
 *
 * @throws HaftError `GUARD_SETTINGS` if a file exists and does not belong to the guard
 *
 * @example
 * ```ts
 * import { type AgentSettings, planCompanionFiles } from "@haft/guard/internal/agents";
 * declare const settings: AgentSettings;
 * const writeFiles = planCompanionFiles(settings, settings.file({ home: "/home/me", env: process.env }));
 * writeFiles();
 * ```
 */
export function planCompanionFiles(settings: AgentSettings, file: string): () => void {
  const all = filesBeside(settings, file);
  const foreign = all.find(({ was, isGuardFile }) => was.text !== undefined && !isGuardFile);
  if (foreign !== undefined)
    throw settingsError(foreign.was.path, new Error("it exists and does not belong to the guard"));
  return () => {
    for (const { was, text } of all) changeAgentSettings(was, text);
  };
}

/**
 * Removes the additional files of a guard module, and their empty folder.
 *
 * @throws HaftError `GUARD_SETTINGS`
 * @example
 * ```ts
 * import { type AgentSettings, removeCompanionFiles } from "@haft/guard/internal/agents";
 * declare const settings: AgentSettings;
 * removeCompanionFiles(settings, settings.file({ home: "/home/me", env: process.env }));
 * ```
 */
export function removeCompanionFiles(settings: AgentSettings, file: string): void {
  if (settings.companionFiles === undefined) return;
  for (const { was, isGuardFile } of filesBeside(settings, file))
    if (isGuardFile) changeAgentSettings(was, undefined);
  try {
    rmdirSync(dirname(file));
  } catch {
    // The folder is not empty.
  }
}

export function listChangedCompanionFiles(settings: AgentSettings, file: string): string[] {
  return filesBeside(settings, file).flatMap(({ was, text }) => (was.text === text ? [] : [was.path]));
}

/** Every version has it. */
const MARK = MODULE_HEADER.replace("// ", "");

function filesBeside({ companionFiles = {} }: AgentSettings, file: string) {
  return Object.entries(companionFiles).map(([name, text]) => {
    const was = readAgentSettings(join(dirname(file), name));
    return { was, text, isGuardFile: was.text?.includes(MARK) === true };
  });
}
