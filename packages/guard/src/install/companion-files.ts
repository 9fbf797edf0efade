import { rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { MODULE_HEADER } from "../settings/modules/module-text.ts";
import { changeAgentSettings, readAgentSettings, settingsError } from "./settings-file.ts";

/**
 * Looks at the files that an agent wants beside its module, and resolves to what writes them.
 *
 * @param file the module
 * @throws HaftError `GUARD_SETTINGS` where one of them is there, and not the guard's
 */
export function planCompanionFiles(settings: AgentSettings, file: string): () => void {
  const all = filesBeside(settings, file);
  const foreign = all.find(({ was, isOwn }) => was.text !== undefined && !isOwn);
  if (foreign !== undefined)
    throw settingsError(foreign.was.path, new Error("it is there, and not the guard's"));
  return () => {
    for (const { was, text } of all) changeAgentSettings(was, text);
  };
}

/** Takes those away that are the guard's, and the folder where nothing else is in it. @throws HaftError `GUARD_SETTINGS` */
export function removeCompanionFiles(settings: AgentSettings, file: string): void {
  if (settings.companionFiles === undefined) return;
  for (const { was, isOwn } of filesBeside(settings, file)) if (isOwn) changeAgentSettings(was, undefined);
  try {
    rmdirSync(dirname(file));
  } catch {
    // Something else is in it.
  }
}

/** Those that are not as an install writes them. */
export function listChangedCompanionFiles(settings: AgentSettings, file: string): string[] {
  return filesBeside(settings, file).flatMap(({ was, text }) => (was.text === text ? [] : [was.path]));
}

/** What each of them has in it, whatever version of Haft wrote it. */
const OWN = MODULE_HEADER.replace("// ", "");

function filesBeside({ companionFiles = {} }: AgentSettings, file: string) {
  return Object.entries(companionFiles).map(([name, text]) => {
    const was = readAgentSettings(join(dirname(file), name));
    return { was, text, isOwn: was.text?.includes(OWN) === true };
  });
}
