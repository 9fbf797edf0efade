import { attempt, isWithin } from "@haft/workspace/internal/system";
import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** What settings of a repository are checked against. Real paths. */
export interface SettingsGround {
  /** The folder that paths are relative to. */
  top: string;
  /** Where commands write: a repository there may have any hooks. */
  roots: readonly string[];
}

type Check = (value: string, ground: SettingsGround) => boolean;

/** No value that a person's terminal, or a program, could take for something else. */
// oxlint-disable-next-line no-control-regex -- that is the point
const CONTROL = /[\u0000-\u001f\u007f]/;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    pattern.test(value);
const bool = matches(/^(?:true|false|yes|no|on|off|0|1|)$/i);
const boolOr = (...words: string[]): Check => {
  const others = matches(new RegExp(`^(?:${words.join("|")})$`, "i"));
  return (value, ground) => bool(value, ground) || others(value, ground);
};
const line: Check = (value) => value.length <= 1024 && !CONTROL.test(value);
const reference = matches(/^refs\/[^\s:?*[\\^~]+$/);
const refspec = matches(/^[+^]?(?:refs\/|[A-Za-z0-9@])[^\s?[\\~]*$/);
const name: Check = (value) =>
  /^[A-Za-z0-9_.][^\s:?*[\\^~]*$/.test(value) && line(value, { top: "", roots: [] });
const REMOTE_NAME = /^[A-Za-z0-9_.][\w./-]*$/;

/** An address, or a repository of this machine that commands cannot change: git runs the hooks of one it pushes to. */
const address: Check = (value, ground) => {
  if (!line(value, ground) || value === "" || value.startsWith("-")) return false;
  const [, scheme, rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(value) ?? [];
  if (scheme !== undefined) {
    if (scheme === "file") return rest.startsWith("/") && !isOfCommands(rest, ground);
    return /^(?:https?|ssh|git|git\+ssh|ssh\+git)$/.test(scheme) && isHost(rest.replace(/^[^/@]*@/, ""));
  }
  // Another program is named: `ext::sh -c …`.
  if (/^[^/]*::/.test(value)) return false;
  const [, host] = /^(?:[^@/:]*@)?([^/:]+):/.exec(value) ?? [];
  if (host !== undefined) return isHost(host);
  return !isOfCommands(resolve(ground.top, value), ground);
};

const isHost = (value: string) => /^[A-Za-z0-9[][^\s]*$/.test(value);

function isOfCommands(path: string, { roots }: SettingsGround): boolean {
  let real: string | undefined;
  for (let at = path; real === undefined && at !== dirname(at); at = dirname(at))
    real = attempt(() => realpathSync.native(at));
  return roots.some((root) => isWithin(path, root) || (real !== undefined && isWithin(real, root)));
}

const remote: Check = (value, ground) => value === "." || REMOTE_NAME.test(value) || address(value, ground);

/**
 * Settings that cannot start anything, whatever their value is, or with the values that are said here: what git writes when
 * somebody works with branches, remotes and submodules, and how it shows things. `*` is any part between the dots.
 */
const HARMLESS: readonly (readonly [keys: string, check: Check])[] = [
  ["branch.*.remote branch.*.pushRemote remote.pushDefault", remote],
  ["branch.*.merge", reference],
  ["branch.*.rebase pull.rebase", boolOr("merges", "interactive")],
  ["branch.*.description", (value) => value.length <= 65_536],
  ["remote.*.url remote.*.pushurl submodule.*.url", address],
  ["remote.*.fetch", refspec],
  ["remote.*.tagOpt", matches(/^(?:--tags|--no-tags)$/)],
  ["remote.*.prune remote.*.pruneTags remote.*.skipFetchAll remote.*.skipDefaultUpdate", bool],
  ["submodule.*.active submodule.recurse", bool],
  ["submodule.*.branch", name],
  ["submodule.*.ignore", matches(/^(?:all|dirty|untracked|none)$/)],
  ["submodule.*.update", matches(/^(?:checkout|rebase|merge|none)$/)],
  ["submodule.*.shallow submodule.*.fetchRecurseSubmodules", boolOr("on-demand")],
  ["user.name user.email", line],
  ["push.default", matches(/^(?:nothing|current|upstream|tracking|simple|matching)$/)],
  ["push.autoSetupRemote push.followTags fetch.prune fetch.pruneTags", bool],
  ["pull.ff merge.ff", boolOr("only")],
  ["rebase.autoStash rebase.autoSquash rebase.updateRefs rerere.enabled rerere.autoUpdate", bool],
  ["merge.conflictStyle", matches(/^(?:merge|diff3|zdiff3)$/)],
  ["core.autocrlf", boolOr("input")],
  ["core.eol", matches(/^(?:lf|crlf|native)$/)],
  ["core.safecrlf", boolOr("warn")],
  ["core.quotePath core.abbrev", matches(/^(?:\w+|)$/)],
  ["branch.autoSetupMerge branch.autoSetupRebase", matches(/^[a-z]*$/i)],
  ["advice.*", bool],
  ["color.* color.*.*", matches(/^[\w #-]*$/)],
  ["lfs.repositoryFormatVersion", matches(/^\d+$/)],
  ["lfs.*.access", matches(/^(?:none|basic|private|negotiate|empty)$/)],
  ["lfs.*.locksVerify", bool],
];

/** What git finds out about the file system, and says anew when it is asked to initialise a repository again. */
const FOUND_OUT =
  /^core\.(?:repositoryformatversion|filemode|bare|ignorecase|symlinks|precomposeunicode|logallrefupdates)$/;

interface Harmless {
  pattern: RegExp;
  /** As people write it: git lists names in lower case. */
  name: string;
  check: Check;
}

const KNOWN: readonly Harmless[] = HARMLESS.flatMap(([keys, check]) =>
  keys.split(" ").map((key) => {
    const parts = key.split(".");
    const last = parts.pop()!;
    const pattern = [...parts.map(escaped), last === "*" ? "[^.]+" : escaped(last).toLowerCase()].join(
      String.raw`\.`,
    );
    return { pattern: new RegExp(`^${pattern}$`, "s"), name: last, check };
  }),
);

function escaped(part: string): string {
  return part === "*" ? ".+" : part;
}

/** Git itself says these of the file system it sees, which in a view is another one. */
export function isFoundOut(key: string): boolean {
  return FOUND_OUT.test(key);
}

/**
 * May a repository get this setting from a command? What is taken away harms nobody that could have been set.
 *
 * @param key in lower case, but for what is between the dots
 * @returns the key as people write it; `undefined` when it may not
 */
export function harmlessKey(
  key: string,
  values: readonly string[],
  ground: SettingsGround,
): string | undefined {
  const found = KNOWN.find(({ pattern }) => pattern.test(key));
  if (found === undefined || !values.every((value) => found.check(value, ground))) return undefined;
  return found.name === "*" ? key : key.slice(0, key.lastIndexOf(".") + 1) + found.name;
}
