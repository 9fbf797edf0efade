import type { CommandOutline, OutlinedCommand } from "@haft/commands";
import { isAbsolute, resolve } from "node:path";
import { realPathOf } from "../subjects/real-path.ts";
import { type OwnPlaces, ownPlace } from "./own-places.ts";

/** The program itself, also as a file that an interpreter or a package runner is given. */
const HAFT = /(?:^|\/)(?:haft(?:\.[cm]?[jt]s)?|guard-hook(?:\.[cm]?[jt]s)?)$/;
/** The words of Haft that decide what agents may do; for each, what of it only tells. */
const DECIDING: Readonly<Record<string, ReadonlySet<string>>> = {
  guard: new Set(["status", "log", "try", "hook", "suggest"]),
  approvals: new Set(["list", "grants", "show"]),
  trust: new Set(["list", "show"]),
  plugins: new Set(["list", "info", "why", "check"]),
  nodes: new Set(["list", "find"]),
  node: new Set(["show", "hosts"]),
  mcp: new Set(["list"]),
  ledger: new Set(["list", "show", "export", "check"]),
  init: new Set(),
};
/** With these as the only other words, it tells. */
const TELLS_ALONE: ReadonlySet<string> = new Set(["approvals", "plugins", "nodes", "mcp", "ledger"]);
const WATCHES = new Set(["--watch", "-w"]);
const IN_TEXT =
  /\bhaft(?:\.[cm]?[jt]s)?["']?\s+(?:guard\s+(?:(?:un)?install|forget)|(?:plugins|mcp)\s+(?:add|remove|import|review|effects|login)|nodes\s+(?:approve|pair|revoke)|approvals\s+(?:answer|revoke|--watch|-w)|approve\b|trust\b(?!\s+(?:list|show)))/;

/** Programs that look and change nothing, by their names. `git` and `sed` by more than that. */
const LOOKING =
  /^(?:\[|test|cat|ls|head|tail|less|more|wc|stat|file|grep|egrep|fgrep|rg|find|fd|tree|diff|cmp|md5sum|sha\d+sum|nl|od|xxd|hexdump|strings|jq|yq|cut|sort|uniq|tr|echo|printf|cd|pwd|realpath|readlink|basename|dirname|du|column|bat|awk|which|type|source|\.)$/;
const GIT_LOOKS = new Set([
  "add",
  "commit",
  "diff",
  "log",
  "show",
  "status",
  "blame",
  "grep",
  "ls-files",
  "check-ignore",
]);
/** They take what they name with everything below it. */
const WHOLE = /^(?:rm|mv|rmdir|unlink|shred|trash|ln|chmod|chown|rsync|find)$/;

/**
 * What a command line would change that is nobody's to change through an agent, as the end of a sentence; nothing where
 * it names nothing of that. Looking is free.
 */
export function ownCommand(outline: CommandOutline, places: OwnPlaces): string | undefined {
  for (const command of outline.commands) {
    const own = decidesItself(command) ?? changesPlace(command, places);
    if (own !== undefined) return own;
  }
  for (const { path, access } of outline.files) {
    const own = access === "write" ? placeAt(path, places, false) : undefined;
    if (own !== undefined) return own;
  }
  if (outline.unclear === undefined) return undefined;
  // What was not taken apart may still say plainly what it is about.
  if (IN_TEXT.test(outline.text)) return "what Haft decides by";
  return namedInText(outline, places);
}

function decidesItself({ name, argv }: OutlinedCommand): string | undefined {
  // What it only names, or prints, it does not run.
  if (looksOnly(programOf(name), argv)) return undefined;
  const at = argv.findIndex((word) => HAFT.test(word));
  if (at < 0) return undefined;
  const words = argv.slice(at + 1).filter((word) => !word.startsWith("-") || WATCHES.has(word));
  const [command = "", action] = words;
  if (command === "approve") return "what Haft decides by";
  if (!Object.hasOwn(DECIDING, command)) return undefined;
  if (argv.includes("--help") || argv.includes("-h")) return undefined;
  if (words.some((word) => WATCHES.has(word)) && command === "approvals") return "what Haft decides by";
  const tells = action === undefined ? TELLS_ALONE.has(command) : DECIDING[command]!.has(action);
  return tells ? undefined : "what Haft decides by";
}

function changesPlace(command: OutlinedCommand, places: OwnPlaces): string | undefined {
  const { name, argv, cwd } = command;
  const program = programOf(name);
  if (looksOnly(program, argv)) return undefined;
  const isWhole = WHOLE.test(program);
  for (const word of argv.slice(1)) {
    // `--output=FILE`, `of=FILE`
    for (const text of new Set([word, word.slice(word.indexOf("=") + 1)])) {
      if (text === "" || text.startsWith("-")) continue;
      const own = placeAt(isAbsolute(text) ? text : resolve(cwd, text), places, isWhole);
      if (own !== undefined) return own;
    }
  }
  return undefined;
}

function programOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

function looksOnly(program: string, argv: readonly string[]): boolean {
  if (program === "git") return argv.slice(1).some((word) => GIT_LOOKS.has(word));
  if (program === "sed") return !argv.some((word) => /^-[A-Za-z]*i|^--in-place/.test(word));
  if (program === "find") return !argv.some((word) => /^-(?:delete|exec|execdir|ok|okdir|fprint)/.test(word));
  return LOOKING.test(program);
}

function placeAt(path: string, places: OwnPlaces, whole: boolean): string | undefined {
  return ownPlace(path, places, whole) ?? ownPlace(realPathOf(path), places, whole);
}

/** Words of a line that could not be taken apart, where it does more than look. */
function namedInText({ text, cwd, commands }: CommandOutline, places: OwnPlaces): string | undefined {
  const words = text
    .slice(0, MOST_TEXT)
    .split(/[\s"'`=;|&<>(),]+/)
    .filter((word) => /[./]/.test(word));
  const isLooking =
    commands.length > 0 && commands.every(({ name, argv }) => looksOnly(programOf(name), argv));
  if (isLooking && !/>/.test(text)) return undefined;
  for (const word of words.slice(0, MOST_WORDS)) {
    const plain = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, places.home);
    if (plain.includes("$")) continue;
    const own = ownPlace(isAbsolute(plain) ? plain : resolve(cwd, plain), places);
    if (own !== undefined) return own;
  }
  return undefined;
}

const MOST_TEXT = 64 * 1024;
const MOST_WORDS = 2000;
