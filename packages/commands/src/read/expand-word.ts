import type { Word } from "unbash";
import type { Fragment } from "../command-template.ts";
import { quoteWord } from "../words/quote.ts";
import { expandShellBraces, hasBraces } from "./braces.ts";
import { type Character, expandGlob, isGlob, patternReason } from "./globs.ts";
import { type Atom, describeExpansion, readWord } from "./read-word.ts";
import { markFilesRead, MAX_TOTAL_LENGTH, NOT_CERTAIN, type State, TOO_MANY_WORDS } from "./state.ts";

export interface ExpandedWord {
  text: string;
  /** Its parts to write if a command inside produces it; `text` is then only for display. */
  fill?: readonly Fragment[];
  isMany?: true;
}

export type ExpandedWords = { words: readonly ExpandedWord[]; expanded: boolean } | { unclear: string };

/** Every shell takes these as text outside of quotes. */
const PLAIN_VALUE = /^[\w./:@%+,=-]+$/;
const MAX_LENGTH = 32 * 1024;
const TOO_LONG = "it comes to words that are longer than anybody reads";
/** In characters. */
const SEARCH_COST = 1000;
const HOME = "it uses ~, which stands for a home folder";

/** Expands like bash. */
export async function expandWord(item: Word, state: State): Promise<ExpandedWords> {
  const text = state.source.slice(item.pos, item.end);
  const read = readWord({ text, pos: item.pos, parts: item.parts ?? [] });
  if ("unclear" in read) return read;
  if (text !== item.text || read.raw !== item.value) return { unclear: NOT_CERTAIN };
  return expandAtoms(read.atoms, state);
}

/** Returns the value of an assignment, without file names and groups. */
export function expandValue(item: Word, state: State): { value: string } | { unclear: string } {
  const text = state.source.slice(item.pos, item.end);
  const read = readWord({ text, pos: item.pos, parts: item.parts ?? [] });
  if ("unclear" in read) return read;
  if (text !== item.text || read.raw !== item.value) return { unclear: NOT_CERTAIN };
  if (read.atoms.some((atom) => "char" in atom && !atom.quoted && atom.char === "~"))
    return { unclear: HOME };
  const quoted = read.atoms.map((atom) => ({ ...atom, quoted: true }));
  const given = withValues(quoted, state);
  if ("unclear" in given) return given;
  const characters = given.filter((one) => "char" in one);
  if (characters.length < given.length)
    return { unclear: describeExpansion(given.some((one) => "shell" in one) ? "" : "(") };
  return { value: characters.map(({ char }) => char).join("") };
}

async function expandAtoms(atoms: readonly Atom[], state: State): Promise<ExpandedWords> {
  if (state.length > MAX_TOTAL_LENGTH) return { unclear: TOO_MANY_WORDS };
  let groups: readonly (readonly Atom[])[] = [atoms];
  if (hasBraces(atoms)) {
    const found = state.shell === "bash" ? expandShellBraces(atoms) : undefined;
    if (found === undefined) return { unclear: "it uses { } to make several words" };
    groups = found;
    state.length += groups.length * atoms.length;
  }
  const words: ExpandedWord[] = [];
  let expanded = groups.length > 1 || atoms.some((atom) => "variable" in atom);
  for (const group of groups) {
    const atHome = withHome(group, state);
    if ("unclear" in atHome) return atHome;
    expanded ||= atHome.length !== group.length;
    const valued = withValues(atHome, state);
    if ("unclear" in valued) return valued;
    const characters = valued.filter((one) => "char" in one);
    if (characters.length < valued.length) {
      const filled = await fillWord(valued, state);
      if ("unclear" in filled) return filled;
      words.push(filled);
      continue;
    }
    const text = characters.map(({ char }) => char).join("");
    if (!isGlob(characters) || text === "[") {
      if (characters.length > 0) words.push({ text });
      continue;
    }
    if (state.context === undefined) {
      const filled = await fillWord(characters, state);
      if ("unclear" in filled) return filled;
      words.push(filled);
      continue;
    }
    const found = await expandGlob(characters, state.cwd, state.context);
    if ("unclear" in found) return found;
    state.length += SEARCH_COST + found.names.join("").length;
    markFilesRead(state);
    expanded = true;
    // A pattern without matches stays; a match like an option is still a file.
    if (found.names.length === 0) words.push({ text });
    else words.push(...found.names.map((name) => ({ text: name.startsWith("-") ? `./${name}` : name })));
  }
  return { words, expanded };
}

function withHome(atoms: readonly Atom[], { context, shell }: State): readonly Atom[] | { unclear: string } {
  const at = atoms.findIndex((atom, index) => {
    if (!("char" in atom) || atom.quoted || atom.char !== "~") return false;
    const before = atoms[index - 1];
    const isText =
      before !== undefined && "char" in before && (before.quoted ? false : /[\w./^@-]/.test(before.char));
    return !isText;
  });
  if (at < 0) return atoms;
  const next = atoms[1];
  const isHome = next === undefined || ("char" in next && !next.quoted && next.char === "/");
  const home = context?.variables["HOME"];
  const isShell = shell === "bash" || shell === "sh" || shell === "dash";
  const isAlone = atoms.findLastIndex((atom) => "char" in atom && !atom.quoted && atom.char === "~") === 0;
  if (at > 0 || !isHome || !isShell || !isAlone || home === undefined || !home.startsWith("/"))
    return { unclear: HOME };
  return [...Array.from(home, (char) => ({ char, quoted: true })), ...atoms.slice(1)];
}

type Filled = Character | Extract<Atom, { command: unknown } | { shell: unknown }>;

function withValues(atoms: readonly Atom[], state: State): readonly Filled[] | { unclear: string } {
  const given: Filled[] = [];
  for (const atom of atoms) {
    if (!("variable" in atom)) {
      // The rebuilt line does not set variables.
      if ("shell" in atom && usesVariable(atom.shell, state)) return { unclear: describeExpansion("") };
      given.push(atom);
      continue;
    }
    const value = valueOfVariable(atom.variable, state);
    // The shell that runs the line has the value, unless the line itself sets the variable.
    if (value === undefined && !state.variables.has(atom.variable)) {
      given.push({ shell: `\${${atom.variable}}`, quoted: atom.quoted });
      continue;
    }
    // Outside of quotes, a shell splits a value and matches file names.
    if (value === undefined || (!atom.quoted && !PLAIN_VALUE.test(value)))
      return { unclear: describeExpansion("") };
    if (given.length + value.length > MAX_LENGTH) return { unclear: TOO_LONG };
    for (const char of value) given.push({ char, quoted: true });
    if (value === "") given.push({ char: "", quoted: true });
  }
  return given;
}

function usesVariable(text: string, { variables }: State): boolean {
  return (text.match(/[A-Za-z_]\w*/g) ?? []).some((name) => variables.has(name));
}

function valueOfVariable(name: string, { variables, context, cwd }: State): string | undefined {
  if (variables.has(name)) return variables.get(name);
  if (context === undefined) return undefined;
  if (name === "PWD") return cwd;
  return Object.hasOwn(context.variables, name) ? context.variables[name] : undefined;
}

async function fillWord(parts: readonly Filled[], state: State): Promise<ExpandedWord | { unclear: string }> {
  const fill: Fragment[] = [];
  let text = "";
  /** Empty quotes can form a word after a space in the inserted output. */
  let literal: string | undefined;
  let isMany = false;
  const hasPattern = parts.some((part) => "char" in part && isGlob([part]));
  // With facts about files, a pattern beside unknown text would need them.
  if (hasPattern && state.context !== undefined) {
    const characters = parts.filter((part) => "char" in part);
    return { unclear: patternReason(characters) };
  }
  for (const part of parts) {
    if ("shell" in part || ("char" in part && hasPattern && !part.quoted)) {
      const shown = "shell" in part ? part.shell : part.char;
      if (literal !== undefined) fill.push(quoteWord(literal));
      literal = undefined;
      fill.push(part.quoted ? `"${shown}"` : shown);
      text += shown;
      isMany ||= !part.quoted;
      continue;
    }
    if ("char" in part) {
      literal = (literal ?? "") + part.char;
      text += part.char;
      continue;
    }
    if (literal !== undefined) fill.push(quoteWord(literal));
    literal = undefined;
    const inside = await state.readSubstitution(part.command);
    fill.push(part.quoted ? '"$( ' : "$( ", ...inside, part.quoted ? ' )"' : " )");
    text += state.source.slice(part.command.pos, part.command.end);
    isMany ||= !part.quoted;
  }
  if (literal !== undefined) fill.push(quoteWord(literal));
  return isMany ? { text, fill, isMany } : { text, fill };
}
