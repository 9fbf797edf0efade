import { attempt, isWithin } from "@haft/system";
import { realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Settings } from "./settings-file.ts";

export interface SettingsContext {
  top: string;
  /** Writable folders; their repositories may have any hooks. */
  roots: readonly string[];
  /** Absent: any name may be a remote. */
  remotes?: ReadonlySet<string>;
}

type Check = (value: string, context: SettingsContext) => boolean;

// oxlint-disable-next-line no-control-regex -- that is the point
const CONTROL = /[\u0000-\u001f\u007f]/;

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    pattern.test(value);
const bool = matches(/^(?:true|false|yes|no|on|off|0|1|)$/i);
const boolOr = (...words: string[]): Check => {
  const others = matches(new RegExp(`^(?:${words.join("|")})$`, "i"));
  return (value, context) => bool(value, context) || others(value, context);
};
const line: Check = (value) => value.length <= 1024 && !CONTROL.test(value);
/** An invalid entry breaks `git status`. */
const isReference = (value: string): boolean =>
  /^refs\/[^\s:?*[\\^~]+$/.test(value) &&
  !/\/\/|\.\.|@\{|[/.]$/.test(value) &&
  !value.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock")) &&
  !CONTROL.test(value);
/** Only remote-tracking references. */
const refspec: Check = (value) => {
  const [, sign, from = "", to] = /^([+^]?)([^:]*)(?::([^:]*))?$/.exec(value) ?? [];
  const stars = [from, to ?? ""].map((side) => side.split("*").length - 1);
  if (sign === undefined || stars.some((count) => count > 1)) return false;
  const [source, target] = [from, to ?? ""].map((side) => side.replace("*", "x")) as [string, string];
  if (!isReference(source) && source !== "HEAD") return false;
  if (sign === "^" || to === undefined) return to === undefined && (stars[0] === 0 || sign === "^");
  return stars[0] === stars[1] && isReference(target) && /^refs\/(?:remotes|tags|notes)\//.test(target);
};
const name: Check = (value) =>
  /^[A-Za-z0-9_.][^\s:?*[\\^~]*$/.test(value) && line(value, { top: "", roots: [] });
/** Git strips these characters, and does not commit with an empty name. */
const person: Check = (value, context) => line(value, context) && /[^\s.,:;<>"\\']/.test(value);
const REMOTE_NAME = /^[A-Za-z0-9_.][\w./-]*$/;

const COLOR =
  /^(?:normal|(?:bright)?(?:black|red|green|yellow|blue|magenta|cyan|white)|\d\d?|1\d\d|2[0-4]\d|25[0-5]|#[\da-f]{6})$/i;
const ATTRIBUTE = /^(?:no-?)?(?:bold|dim|italic|ul|blink|reverse|strike)$/i;
const colors: Check = (value) => {
  const words = value.split(" ");
  return (
    value === "reset" ||
    (words.every((word) => COLOR.test(word) || ATTRIBUTE.test(word)) &&
      words.filter((word) => COLOR.test(word)).length <= 2)
  );
};

/** A local repository must be protected from commands, because pushing runs its hooks. */
const address: Check = (value, context) => {
  if (!line(value, context) || value === "" || value.startsWith("-")) return false;
  const [, scheme, rest = ""] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(value) ?? [];
  if (scheme !== undefined) {
    if (scheme === "file") return rest.startsWith("/") && !isOfCommands(rest, context);
    return (
      /^(?:https?|ssh|git|git\+ssh|ssh\+git)$/.test(scheme) &&
      isHost(rest.replace(/^[^/@]*@/, "")) &&
      URL.canParse(value)
    );
  }
  // It starts a program: `ext::sh -c …`.
  if (/^[^/]*::/.test(value)) return false;
  const [, host] = /^(?:[^@/:]*@)?([^/:]+):/.exec(value) ?? [];
  if (host !== undefined) return isHost(host);
  return !isOfCommands(resolve(context.top, value), context);
};

const isHost = (value: string) => /^[A-Za-z0-9[][^\s]*$/.test(value);

function isOfCommands(path: string, { roots }: SettingsContext): boolean {
  let real: string | undefined;
  for (let at = path; real === undefined && at !== dirname(at); at = dirname(at))
    real = attempt(() => realpathSync.native(at));
  return roots.some((root) => isWithin(path, root) || (real !== undefined && isWithin(real, root)));
}

/** Git treats an unknown remote as a path. */
const remote: Check = (value, context) =>
  value === "." ||
  (REMOTE_NAME.test(value) && (context.remotes === undefined || context.remotes.has(value))) ||
  address(value, context);

/** Settings that cannot start programs with these values. `*`: any part between dots. */
const HARMLESS: readonly (readonly [keys: string, check: Check])[] = [
  ["branch.*.remote branch.*.pushRemote remote.pushDefault", remote],
  ["branch.*.merge", isReference],
  ["branch.*.rebase pull.rebase", boolOr("merges", "interactive")],
  ["branch.*.description", (value) => value.length <= 8192],
  ["remote.*.url remote.*.pushurl submodule.*.url", address],
  ["remote.*.fetch", refspec],
  ["remote.*.tagOpt", matches(/^(?:--tags|--no-tags)$/)],
  ["remote.*.prune remote.*.pruneTags remote.*.skipFetchAll remote.*.skipDefaultUpdate", bool],
  ["submodule.*.active submodule.recurse", bool],
  ["submodule.*.branch", name],
  ["submodule.*.ignore", matches(/^(?:all|dirty|untracked|none)$/)],
  ["submodule.*.update", matches(/^(?:checkout|rebase|merge|none)$/)],
  ["submodule.*.shallow", bool],
  ["submodule.*.fetchRecurseSubmodules", boolOr("on-demand")],
  ["user.name user.email", person],
  ["push.default", matches(/^(?:nothing|current|upstream|tracking|simple|matching)$/)],
  ["push.autoSetupRemote push.followTags fetch.prune fetch.pruneTags", bool],
  ["pull.ff merge.ff", boolOr("only")],
  ["rebase.autoStash rebase.autoSquash rebase.updateRefs rerere.enabled rerere.autoUpdate", bool],
  ["merge.conflictStyle", matches(/^(?:merge|diff3|zdiff3)$/)],
  ["core.autocrlf", boolOr("input")],
  ["core.eol", matches(/^(?:lf|crlf|native)$/)],
  ["core.safecrlf", boolOr("warn")],
  ["core.quotePath", bool],
  ["core.abbrev", matches(/^(?:auto|no|[4-9]|[123]\d|40)$/)],
  ["branch.autoSetupMerge", boolOr("always", "inherit", "simple")],
  ["branch.autoSetupRebase", matches(/^(?:never|local|remote|always)$/)],
  ["advice.*", bool],
  ["color.pager", bool],
  ["color.*", boolOr("auto", "always", "never")],
  ["color.*.*", colors],
  ["lfs.repositoryFormatVersion", matches(/^0$/)],
  ["lfs.*.access", matches(/^(?:none|basic|private|negotiate|empty)$/)],
  ["lfs.*.locksVerify", bool],
];

/** Git detects these, and rewrites them on `git init`. */
const FOUND_OUT = /^core\.(?:filemode|ignorecase|symlinks|precomposeunicode|logallrefupdates)$/;
const REMOTE_URL = /^remote\.(.+)\.url$/s;

export function createSettingsContext(
  source: SettingsContext,
  had: Settings,
  settings: Settings,
): SettingsContext {
  const names = Array.from(settings, ([key, values]) => {
    const isFine = values.every((value) => address(value, source)) || had.get(key)?.join() === values.join();
    return isFine ? REMOTE_URL.exec(key)?.[1] : undefined;
  });
  return { ...source, remotes: new Set(names.filter((one) => one !== undefined)) };
}

interface Harmless {
  pattern: RegExp;
  /** Usual spelling; git lists names in lower case. */
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

export function isDetectedSetting(key: string): boolean {
  return FOUND_OUT.test(key);
}

export function findHarmlessKey(
  key: string,
  values: readonly string[],
  context: SettingsContext,
): string | undefined {
  const found = KNOWN.find(({ pattern }) => pattern.test(key));
  if (found === undefined || !values.every((value) => found.check(value, context))) return undefined;
  return found.name === "*" ? key : key.slice(0, key.lastIndexOf(".") + 1) + found.name;
}
