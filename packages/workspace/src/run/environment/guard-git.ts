import { addGitSettings } from "./without-editor.ts";

/**
 * The variables with one more setting for every git: a plain folder that looks like a repository (HEAD, config, objects,
 * refs) is none unless it is named as one. Anybody who can write files can make such a folder, and git runs what its
 * config says. It comes after the settings that are there, so it holds.
 */
export function guardGit(env: Readonly<Record<string, string>>): Record<string, string> {
  return addGitSettings(env, [["safe.bareRepository", "explicit"]]);
}
