/**
 * The variables with one more setting for every git: a plain folder that looks like a repository (HEAD, config, objects,
 * refs) is none unless it is named as one. Anybody who can write files can make such a folder, and git runs what its
 * config says. It comes after the settings that are there, so it holds.
 */
export function guardGit(env: Readonly<Record<string, string>>): Record<string, string> {
  const given = env["GIT_CONFIG_COUNT"] ?? "";
  // Git refuses to work with any other count.
  const count = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "safe.bareRepository",
    [`GIT_CONFIG_VALUE_${count}`]: "explicit",
  };
}
