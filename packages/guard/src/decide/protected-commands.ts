import {
  baseName,
  type CommandTemplate,
  fillsFolder,
  findHaftDecision,
  isReadOnlyCommand,
  type TemplateCommand,
} from "@haft/commands";
import { isAbsolute, resolve } from "node:path";
import { findPackageChange } from "./package-changes.ts";
import {
  describeProtectedPath,
  type ProtectedPaths,
  SECRET_DESCRIPTION,
  describeSecretPath,
} from "./protected-paths.ts";
import { setsVariables } from "./start-files.ts";
import { describeRealPath, describeWriteTarget } from "./write-targets.ts";

/** Unique to Haft, so the program is not checked. */
const DECIDES = /\b(?:guard\s+(?:un)?install|approvals\s+(?:answer|revoke|--watch|-w))\b/;
/** Other programs have these words as well. */
const HAFT_DECIDES =
  /\bhaft(?:\.[cm]?[jt]s|@\S*)?\s+(?:guard\s+forget|(?:plugins|mcp)\s+(?:add|update|remove|import|review|effects|login)|nodes\s+(?:approve|pair|revoke|start|accept|forget)|config\s+(?:init|trust|untrust)\b|approve\b|inspect\b)/;

/** Returns the changed part as the end of a sentence. Reading is allowed. */
export function describeProtectedCommand(
  outline: CommandTemplate,
  protectedPaths: ProtectedPaths,
): string | undefined {
  // These install without naming a folder.
  if (findPackageChange(outline, protectedPaths)?.isHaft === true) return "the files or rules of Haft";
  for (const command of outline.commands) {
    const violation =
      decidesItself(command) ??
      addsToAgent(command) ??
      setsVariables(command) ??
      describeWriteTarget(command, protectedPaths);
    if (violation !== undefined) return violation;
  }
  for (const { path, access } of outline.files) {
    const violation = access === "write" ? describeRealPath(path, protectedPaths) : undefined;
    if (violation !== undefined) return violation;
  }
  if (readsSecret(outline, protectedPaths)) return SECRET_DESCRIPTION;
  // Words from other sources can be any word.
  const isFed = outline.commands.some((command) => command.open === true && !isReadOnlyCommand(command));
  if (outline.unclear === undefined && !isFed) return undefined;
  // An unparsed line can still name its target.
  const plain = unquoted(outline.text);
  if (DECIDES.test(plain) || HAFT_DECIDES.test(plain)) return "how Haft decides";
  if (ADDS_IN_TEXT.test(outline.text)) return ADDED;
  return namedInText(outline, protectedPaths);
}

/** Programs that do not output files in a folder. */
const NAMES_ONLY = /^(?:haft|npx|cd|ls|stat|du|test|mkdir)$/;

function readsSecret(
  { text, cwd, commands, files, unclear }: CommandTemplate,
  protectedPaths: ProtectedPaths,
): boolean {
  if (protectedPaths.secrets === undefined) return false;
  const locate = (word: string, from: string): { path: string; isPattern: boolean } => {
    const known = filledIn(word.replace(/^[^/~$]*[=@]/, ""), protectedPaths);
    // A pattern can match any file in the folder.
    const at = known.search(/[*?[{$]/);
    const path = resolve(from, at < 0 ? known : known.slice(0, at).replace(/[^/]*$/, ""));
    return { path: withoutProc(path), isPattern: at >= 0 };
  };
  const isSecret = (word: string, from: string, isWhole: boolean): boolean => {
    const { path, isPattern } = locate(word, from);
    return describeSecretPath(path, protectedPaths, isWhole || isPattern) !== undefined;
  };
  if (files.some(({ path }) => isSecret(path, cwd, false))) return true;
  const inWords = commands.some(({ name, argv, cwd: from }) =>
    argv.slice(1).some((word) => isSecret(word, from, !NAMES_ONLY.test(baseName(name)))),
  );
  const isFed = commands.some(({ open, name }) => open === true && !NAMES_ONLY.test(baseName(name)));
  const isTaken = commands.some((command) =>
    takenWhole(command, isFed).some((word) =>
      protectedPaths.secrets!.some((secret) => isBelow(secret, locate(word, command.cwd).path)),
    ),
  );
  return (
    inWords || isTaken || (unclear !== undefined && wordsOf(text).some((word) => isSecret(word, cwd, true)))
  );
}

const TAKES_WHOLE = /^(?:zip|7z\w*|rsync|scp|pax|ditto|restic|borg)$/;
const NAMES_ALL = /^(?:find|fd|fdfind|ls|tree|rg)$/;

/** These are taken with all content, or passed on by name. */
function takenWhole({ name, argv }: TemplateCommand, isFed: boolean): readonly string[] {
  const program = baseName(name);
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  const isDeepCopy =
    program === "cp" && argv.some((word) => /^-[A-Za-z]*[aRr]|^--(?:archive|recursive)/.test(word));
  // The last word is the target.
  if (isDeepCopy || /^(?:rsync|scp)$/.test(program)) return words.slice(0, -1);
  if (/^(?:g|bsd)?tar$/.test(program)) return fillsFolder(program.replace("bsd", ""), argv) ? [] : words;
  const isHandedOn = isFed || argv.some((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
  return TAKES_WHOLE.test(program) || (isHandedOn && NAMES_ALL.test(program)) ? words : [];
}

function isBelow(path: string, folder: string): boolean {
  return `${path}/`.toLowerCase().startsWith(`${folder.replace(/\/+$/, "")}/`.toLowerCase());
}

function withoutProc(path: string): string {
  return path.replace(/^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/root(?=\/|$)/, "") || "/";
}

function filledIn(word: string, { home, env }: ProtectedPaths): string {
  return word
    .replace(/^~(?=\/|$)/, home)
    .replace(/^\$\{?(\w+)\}?(?=\/|$)/, (all, name: string) => (name === "HOME" ? home : (env[name] ?? all)));
}

function unquoted(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll(/\$(?=['"])|["'\\]/g, "");
}

function wordsOf(text: string): string[] {
  return text
    .slice(0, MAX_TEXT)
    .split(/[\s"'`=;|&<>(),]+/)
    .filter((word) => /[./]/.test(word))
    .slice(0, MAX_WORDS);
}

function decidesItself(outlined: TemplateCommand): string | undefined {
  if (isReadOnlyCommand(outlined)) return undefined;
  return findHaftDecision(outlined.argv, outlined.cwd) === undefined ? undefined : "how Haft decides";
}

function namedInText(
  { text, cwd, commands }: CommandTemplate,
  protectedPaths: ProtectedPaths,
): string | undefined {
  const isLooking = commands.length > 0 && commands.every(isReadOnlyCommand);
  if (isLooking && !/>/.test(text)) return undefined;
  const started = /[>|]/.test(text) ? [] : commands.flatMap(({ scripts }) => scripts);
  const isStarted = (path: string) =>
    started.includes(path) || protectedPaths.programs?.includes(path) === true;
  const changed = text.slice(0, MAX_TEXT).replaceAll(/(^|[;&|\s])(?:source|\.)\s+[^\s;&|<>]+/g, "$1");
  for (const word of wordsOf(changed)) {
    const plain = filledIn(word, protectedPaths);
    if (plain.includes("$")) continue;
    const path = isAbsolute(plain) ? plain : resolve(cwd, plain);
    const violation = isStarted(path) ? undefined : describeProtectedPath(path, protectedPaths);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

const MAX_TEXT = 64 * 1024;
const MAX_WORDS = 2000;

const ADDED = "the servers, hooks or plugins of an agent";
/** Including packages and editors with agents. */
const AGENT =
  /(?:^|\/)(?:claude(?:-code)?|codex|gemini(?:-cli)?|copilot|cursor(?:-agent)?|agent|code|opencode(?:-ai)?|pi(?:-coding-agent)?|openclaw)(?:@[^/]*)?$/;
const WHAT = "(?:mcp|plugins?|extensions?|hooks|config|features|approvals|exec-policy)";
const VERB =
  "(?:add[\\w-]*|install|link|import|migrate|marketplace|(?:un)?set|patch|remove|rm|uninstall|enable|disable|update|allowlist|new|reset[\\w-]*)\\b";
const CHANGES = new RegExp(`^${WHAT} ${VERB}`);
const ALONE =
  /(?:^|\/)(?:pi\b\S* (?:(?:un)?install|remove|update|config)|openclaw\S* (?:configure|onboard|setup)|opencode\S* plug(?:in)? (?!list)\S+)( |$)/;
const OPTION = /^--(?:add-mcp|(?:un)?install-extension)(?:=|$)/;

const ADDS_IN_TEXT = new RegExp(
  `(?:^|[\\s/;&|("'])(?:claude|codex|gemini|copilot|cursor-agent|opencode|openclaw)(?: -\\S+)* ${WHAT}(?: -\\S+)* ${VERB}`,
);

function addsToAgent(command: TemplateCommand): string | undefined {
  const { argv } = command;
  const at = argv.findIndex((word) => AGENT.test(word));
  if (at < 0 || isReadOnlyCommand(command)) return undefined;
  const rest = argv.slice(at + 1);
  const words = rest.filter((word) => !/^-|\s/.test(word));
  // Further words belong to another program.
  if (words.length < 3 && rest.some((word) => /^(?:--help|-h)$/.test(word))) return undefined;
  const adds =
    rest.some((word) => OPTION.test(word)) ||
    ALONE.test([argv[at], ...words.slice(0, 2)].join(" ")) ||
    // Option values can precede the words.
    words.some((_, each) => CHANGES.test(words.slice(each, each + 2).join(" ")));
  return adds ? ADDED : undefined;
}
