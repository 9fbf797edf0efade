import type { GitSetting, GitSettings } from "./git-settings.ts";

interface LeftOut {
  /** In git's order. */
  words: readonly string[];
  names: readonly string[];
}

/**
 * Settings that name a program for git, and the value that disables them, because git treats an empty value as a program. Each replaces the
 * others in its row.
 */
const PROGRAMS: readonly (readonly [keys: string, otherwise: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.alternaterefscommand", "exit 0;"],
  ["core.editor", ":"],
  ["sequence.editor", ":"],
  ["core.pager", "cat"],
  ["core.askpass", ""],
  ["core.sshcommand", "ssh"],
  ["gpg.program gpg.openpgp.program", "gpg"],
  ["gpg.x509.program", "gpgsm"],
  ["gpg.ssh.program", "ssh-keygen"],
  ["gpg.ssh.defaultkeycommand", ""],
  ["interactive.difffilter", "cat"],
  // Git would run in the submodule, with the programs of its settings.
  ["diff.submodule", "short"],
];
/** These overrides also apply to submodules, whose settings are not read. */
const FOR_SUBMODULES = /^(?:core\.(?:fsmonitor|alternaterefscommand|askpass|sshcommand))$/;
const SWITCH = /^(?:true|false|yes|no|on|off|[01]|)$/i;

/**
 * Disables programs that a repository names for git: settings of the user and the system replace them, or git's defaults.
 *
 * `hasMore`: the repository contains other repositories.
 */
export function buildGitOverrides(
  { all, isComplete }: GitSettings,
  hasMore: boolean,
): LeftOut | { unclear: string } {
  const words: string[] = [];
  const left = new Map<string, GitSetting>();
  const rows: (readonly [keys: string, otherwise: string])[] = [...PROGRAMS, ...pagersOf(all)];
  for (const [keys, otherwise] of rows) {
    const names = keys.split(" ");
    const given = all.filter(({ key }) => names.includes(key));
    const fromRepository = given.filter(
      ({ key, value, isFromRepository }) => isFromRepository && !isSwitch(key, value),
    );
    fromRepository.forEach((one) => left.set(one.key, one));
    const last = names.at(-1) ?? "";
    // Always overriding the file monitor costs nothing and makes later changes irrelevant.
    if (fromRepository.length === 0 && last !== "core.fsmonitor" && !(hasMore && FOR_SUBMODULES.test(last)))
      continue;
    const users = given.findLast(({ isFromRepository }) => !isFromRepository);
    words.push("-c", setting(last, users === undefined ? otherwise : users.value));
  }
  const helpers = all.filter(({ section, name }) => section === "credential" && name === "helper");
  const repositoryHelpers = helpers.filter(({ isFromRepository }) => isFromRepository);
  repositoryHelpers.forEach((one) => left.set(one.key, one));
  if (repositoryHelpers.length > 0 || (hasMore && isComplete)) {
    words.push("-c", "credential.helper=");
    for (const { key, value, isFromRepository } of helpers)
      if (!isFromRepository) words.push("-c", setting(key, value));
  }
  if (left.size > 0 && !isComplete)
    return { unclear: `it sets ${[...left.keys()].join(", ")}, and the user's settings are unknown` };
  if (words.some((word) => /^[^=]*=[^=]*\.helper=/.test(word) && word.startsWith("credential.")))
    return { unclear: "a credential helper is for an address with =, which cannot be named again" };
  return {
    words,
    names: [...left.values()].map(({ key, file }) => (file === undefined ? key : `${key} (${file})`)),
  };
}

function setting(key: string, value: string | undefined): string {
  return value === undefined ? key : `${key}=${value}`;
}

function pagersOf(all: readonly GitSetting[]): (readonly [string, string])[] {
  const keys = all
    .filter(({ key, isFromRepository }) => isFromRepository && key.startsWith("pager."))
    .map(({ key }) => key);
  return [...new Set(keys)].map((key) => [key, "false"] as const);
}

/** Some settings also accept yes and no, which name no program. */
function isSwitch(key: string, value = ""): boolean {
  if (key === "diff.submodule") return value !== "diff";
  return (key === "core.fsmonitor" || key.startsWith("pager.")) && SWITCH.test(value);
}
