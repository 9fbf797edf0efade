import { maskKnownSecrets } from "./known-secrets.ts";
import { mayContainSecret } from "./secret-hints.ts";
import { SECRET_MASK } from "./secret-masker.ts";
import { createSecretPatterns } from "./secret-patterns.ts";

const BASE64_LINE =
  /(\\[nr])|[A-Za-z0-9+/=]{40,}|(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*\d)[A-Za-z0-9+/=]{8,}/g;
const SHORT_LINE = /(\\[nr]|\[secret\])|(?=[a-z0-9+]*[A-Z]|[A-Za-z0-9+]+=)[A-Za-z0-9+]+={0,2}(?![\w/+=])/g;
const BETWEEN_MARKS = /^[A-Za-z0-9+/=]+$/;

let patterns: ReturnType<typeof createSecretPatterns> | undefined;

/** Masks known secrets and common shapes of secrets. Unmasked text is not necessarily public. */
export function redactSecrets(text: string): string {
  const shown = maskKnownSecrets(text);
  return mayContainSecret(shown) ? maskSecretPatterns(shown) : shown;
}

export function maskSecretPatterns(text: string): string {
  patterns ??= createSecretPatterns();
  let shown = text.replace(patterns.privateKey, (lines) => coverLines(lines, BASE64_LINE));
  shown = shown.replace(patterns.shortKey, (lines) =>
    BETWEEN_MARKS.test(lines) ? SECRET_MASK : coverLines(lines, SHORT_LINE),
  );
  shown = shown.replace(patterns.knownKeys, SECRET_MASK);
  for (const pattern of patterns.flags) shown = coverValues(shown, "known", pattern, () => 0);
  for (const pattern of patterns.headers) shown = coverValues(shown, "known", pattern);
  for (const pattern of patterns.assigned) shown = coverValues(shown, "assigned", pattern);
  for (const pattern of patterns.options) shown = coverValues(shown, "option", pattern);
  return shown;
}

/** Masks values, unless that would hide more than a value. */
function coverValues(
  text: string,
  kind: ValueKind,
  pattern: RegExp,
  prefixLengthOf = ([, prefix]: RegExpExecArray) => prefix!.length,
): string {
  const mayCover = createCoverCheck(text);
  let shown = "";
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const at = found.index + prefixLengthOf(found);
    const value = text.slice(at, found.index + found[0].length);
    if (!mayCover(kind, at, value)) continue;
    shown += text.slice(end, at) + SECRET_MASK;
    end = at + value.length;
  }
  return shown + text.slice(end);
}

export function describeMaskedSecrets(shown: string): string | undefined {
  if (!shown.includes(SECRET_MASK)) return undefined;
  return `${SECRET_MASK} replaces a possible secret: the real value is used, but not shown.`;
}

function coverLines(lines: string, secret: RegExp): string {
  return lines.replace(secret, (_found, prefix?: string) => prefix ?? SECRET_MASK);
}

type ValueKind = "option" | "assigned" | "known";

const REACH = 1_000;

const ACTS = /[;|&<>`\n]|\$[({]|^!/;
/** A file name, or a command with arguments. A key in Base64 is neither. */
const COMMAND = /[\s/]/;
const BASE64 = /^(?!\/)(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[\w+/]{20,}={0,2}$/;

const OPERATORS = ["\n", ";", "|", "&", "(", ")", "{", "}"];

/** Options that resemble names of secrets but take no value. */
const NO_VALUE =
  /--(?:no|skip|ask|use|with|without|show|print|prompt|allow|require|generate|get|list|check|empty|disable|enable)-[\w-]+$/i;
const ASKS = /^(?:psql|pg_\w+|createdb|dropdb|createuser|dropuser|vacuumdb|reindexdb|clusterdb)$/;

const STARTERS = new Set(
  (
    "sudo doas su runuser env exec command builtin eval nohup nice ionice time timeout xargs parallel setsid stdbuf " +
    "chroot unshare nsenter flock strace ltrace watch chrt taskset busybox setpriv unbuffer script ssh-agent " +
    "if then elif else while until do coproc !"
  ).split(" "),
);

/** Checks that a mask hides no program, executed file or code. */
function createCoverCheck(text: string): (kind: ValueKind, at: number, value: string) => boolean {
  let read: ReadonlySet<string> | undefined;
  return (kind, at, value) => {
    const before = behindLast(OPERATORS, text, at);
    if (ACTS.test(value) || (value.includes("$") && !isLiteral(before))) return false;
    const isWholeWord = /^$|\s\\{0,3}["']?$/.test(before ?? "");
    if (isWholeWord && [before, behindLast(["\n"], text, at)].some((part) => programOf(part) === undefined))
      return false;
    if (kind === "known") return true;
    if (COMMAND.test(value) && !BASE64.test(value)) return false;
    if (kind === "option") return takesValue(before);
    read ??= readVariables(text);
    return !/\balias\b/.test(before ?? "alias") && !read.has(nameBefore(text, at));
  };
}

function behindLast(ends: readonly string[], text: string, at: number): string | undefined {
  const start = Math.max(0, at - REACH);
  const near = text.slice(start, at).replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, "$1  ");
  const end = Math.max(...ends.map((character) => near.lastIndexOf(character)));
  return end < 0 && start > 0 ? undefined : near.slice(end + 1);
}

function isLiteral(before: string | undefined): boolean {
  return before !== undefined && /(?<!\\)'[^'"]*$/.test(before) && !/["\\]|\b(?:eval|ssh)\b/.test(before);
}

function programOf(before: string | undefined): string | undefined {
  let isUnclear = false;
  for (const written of before?.split(/\s+/).filter(Boolean) ?? []) {
    const word = written.replaceAll(/["'\\]/g, "").replace(/^.*\//, "");
    if (word === "") continue;
    // Values of variables and options may be anything.
    const wasUnclear = isUnclear;
    isUnclear = written.includes("$") || /^(?:-|\d*[<>])/.test(word);
    if (!isUnclear && !wasUnclear && !/^\w+\+?=/.test(word) && !STARTERS.has(word)) return word;
  }
  return undefined;
}

function takesValue(before: string | undefined): boolean {
  const option = /(\S+?)[\s=]+\\{0,3}["']?$/.exec(before ?? "")?.[1] ?? "";
  return !NO_VALUE.test(option) && !(option === "--password" && ASKS.test(programOf(before) ?? ""));
}

function nameBefore(text: string, at: number): string {
  return /(\w+)\W*$/.exec(text.slice(Math.max(0, at - 200), at))?.[1] ?? "";
}

/** Finds variables that are read, since their values may run. */
function readVariables(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\$\{?[!#]?(\w+)/g), ([, name]) => name!));
}
