import type { CommandOutline, OutlinedCommand } from "@haft/commands";
import { isAbsolute, resolve } from "node:path";
import { ADDED, ADDS_IN_TEXT, addsToAgent } from "./agent-commands.ts";
import { looksOnly, programOf } from "./looks-only.ts";
import { type OwnPlaces, ownPlace, SECRET, secretPlace } from "./own-places.ts";
import { placeAt, writtenPlace } from "./written-place.ts";

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
/** The packages of Haft, changed for all of this user. */
const INSTALLED = [
  /^(?:-g|--global|global|--location=global)$/,
  /^@?haft(?:[@/]|$)/,
  /^(?:i|in|add|rm|un|up|inst.*|remove|unin.*|update|upgrade|link)$/,
];
const WATCHES = new Set(["--watch", "-w"]);
const IN_TEXT =
  /\bhaft(?:\.[cm]?[jt]s)?["']?\s+(?:guard\s+(?:(?:un)?install|forget)|(?:plugins|mcp)\s+(?:add|remove|import|review|effects|login)|nodes\s+(?:approve|pair|revoke)|approvals\s+(?:answer|revoke|--watch|-w)|approve\b|trust\b(?!\s+(?:list|show)))/;

/**
 * What a command line would change that is nobody's to change through an agent, as the end of a sentence; nothing where
 * it names nothing of that. Looking is free.
 */
export function ownCommand(outline: CommandOutline, places: OwnPlaces): string | undefined {
  for (const command of outline.commands) {
    const own = decidesItself(command) ?? addsToAgent(command) ?? writtenPlace(command, places);
    if (own !== undefined) return own;
  }
  for (const { path, access } of outline.files) {
    const own = access === "write" ? placeAt(path, places) : undefined;
    if (own !== undefined) return own;
  }
  if (readsSecret(outline, places)) return SECRET;
  // Words that come from elsewhere may be any that the line has.
  const isFed = outline.commands.some((command) => command.open === true && !looksOnly(command));
  if (outline.unclear === undefined && !isFed) return undefined;
  // What was not taken apart may still say plainly what it is about.
  if (IN_TEXT.test(outline.text)) return "what Haft decides by";
  if (ADDS_IN_TEXT.test(outline.text)) return ADDED;
  return namedInText(outline, places);
}

/** Programs that say nothing of what is in the files of a folder. */
const NAMES_ONLY = /^(?:haft|npx|cd|ls|stat|du|test|mkdir)$/;

function readsSecret({ text, cwd, commands, files, unclear }: CommandOutline, places: OwnPlaces): boolean {
  if (places.secrets === undefined) return false;
  const isSecret = (word: string, from: string, isWhole: boolean): boolean => {
    const known = filledIn(word, places);
    // A name that the shell completes is one of those that are there.
    const at = known.search(/[*?[{$]/);
    const path = resolve(from, at < 0 ? known : known.slice(0, at).replace(/[^/]*$/, ""));
    return secretPlace(path, places, isWhole || at >= 0) !== undefined;
  };
  if (files.some(({ path }) => isSecret(path, cwd, false))) return true;
  const inWords = commands.some(({ name, argv, cwd: from }) =>
    argv
      .slice(1)
      .some((word) => isSecret(word.replace(/^[^/~$]*[=@]/, ""), from, !NAMES_ONLY.test(programOf(name)))),
  );
  return inWords || (unclear !== undefined && wordsOf(text).some((word) => isSecret(word, cwd, true)));
}

/** A word with the folder that a tilde or a variable at its beginning names. */
function filledIn(word: string, { home, env }: OwnPlaces): string {
  return word
    .replace(/^~(?=\/|$)/, home)
    .replace(/^\$\{?(\w+)\}?(?=\/|$)/, (all, name: string) => (name === "HOME" ? home : (env[name] ?? all)));
}

function wordsOf(text: string): string[] {
  return text
    .slice(0, MOST_TEXT)
    .split(/[\s"'`=;|&<>(),]+/)
    .filter((word) => /[./]/.test(word))
    .slice(0, MOST_WORDS);
}

function decidesItself(outlined: OutlinedCommand): string | undefined {
  const { name, argv } = outlined;
  // Nobody names the place where these put it.
  if (
    /^(?:npm|pnpm|yarn|bun)$/.test(programOf(name)) &&
    INSTALLED.every((each) => argv.some((word) => each.test(word)))
  )
    return "what Haft keeps and decides by";
  // What it only names, or prints, it does not run.
  if (looksOnly(outlined)) return undefined;
  const at = argv.findIndex((word) => HAFT.test(word));
  if (at < 0) return undefined;
  const words = argv.slice(at + 1).filter((word) => !word.startsWith("-") || WATCHES.has(word));
  const [command = "", action] = words;
  if (command === "approve") return "what Haft decides by";
  if (!Object.hasOwn(DECIDING, command)) return undefined;
  const end = argv.indexOf("--");
  if (argv.slice(0, end < 0 ? undefined : end).some((word) => /^(?:--help|-h)$/.test(word))) return undefined;
  if (words.some((word) => WATCHES.has(word)) && command === "approvals") return "what Haft decides by";
  const tells = action === undefined ? TELLS_ALONE.has(command) : DECIDING[command]!.has(action);
  return tells ? undefined : "what Haft decides by";
}

/** Words of a line that could not be taken apart, where it does more than look. */
function namedInText({ text, cwd, commands }: CommandOutline, places: OwnPlaces): string | undefined {
  const isLooking = commands.length > 0 && commands.every(looksOnly);
  if (isLooking && !/>/.test(text)) return undefined;
  // Naming what is only started says nothing.
  const started = /[>|]/.test(text) ? [] : commands.flatMap(({ scripts }) => scripts);
  const isStarted = (path: string) => started.includes(path) || places.programs?.includes(path) === true;
  for (const word of wordsOf(text)) {
    const plain = filledIn(word, places);
    if (plain.includes("$")) continue;
    const path = isAbsolute(plain) ? plain : resolve(cwd, plain);
    const own = isStarted(path) ? undefined : ownPlace(path, places);
    if (own !== undefined) return own;
  }
  return undefined;
}

const MOST_TEXT = 64 * 1024;
const MOST_WORDS = 2000;
