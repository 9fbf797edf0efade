import { namedKey, type NamedKey } from "./named-keys.ts";

export interface KeyModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
}

export const PLAIN_KEYS: KeyModes = { applicationCursorKeys: false, applicationKeypad: false };

interface Modifiers {
  control: boolean;
  alt: boolean;
  shift: boolean;
}

const ESC = "\u001b";
const PREFIX = /^(?:([CMS])-|(ctrl|control|ctl|alt|meta|option|opt|shift) ?[-+] ?)/i;
const CONTROL = ["c", "ctrl", "control", "ctl"];
const SHIFT = ["s", "shift"];
/** Keys that terminals lack, and modifiers alone: never typed as text. */
const NO_TEXT =
  /^(?:f\d+|ctrl|caps[-_ ]?lock|num[-_ ]?lock|scroll[-_ ]?lock|print[-_ ]?screen|prtsc|sys[-_]?rq)$/i;
/** Users join keys: `enter; touch x`, `up, up`. */
const SEPARATOR = /[;,]/;

/**
 * Encodes a key like a terminal: a name (`enter`, `F5`, `page-down`, `<esc>`), a character, or text, with leading modifiers: `C-c`,
 * `ctrl+c`, `^c`, `M-x`, `shift-tab`, `C-M-left`. Returns `undefined` for an unknown key: typed as text, a typo would be a command.
 */
export function encodeKey(token: string, modes: KeyModes): string | undefined {
  const inner = /^(?:<(.+)>|\{(.+)\})$/su.exec(token);
  const bracketed = inner?.[1] ?? inner?.[2];
  if (bracketed !== undefined) return encodeOne(bracketed, modes, false) ?? token;
  return encodeOne(token, modes, true);
}

function encodeOne(token: string, modes: KeyModes, mayBeText: boolean): string | undefined {
  const { modifiers, rest } = splitModifiers(token);
  const named = namedKey(rest);
  if (named !== undefined) return withModifiers(named, modifiers, modes);
  const { control, alt, shift } = modifiers;
  if (!control && !alt && !shift) return mayBeText && isText(token) ? token : undefined;
  const [character = "", ...more] = rest;
  const wanted = shift ? character.toUpperCase() : character;
  const bytes = control ? controlCharacter(wanted) : wanted;
  return more.length > 0 || character === "" || bytes === undefined ? undefined : (alt ? ESC : "") + bytes;
}

/** Control characters within text are sequences, or two keys in one token. */
function isText(token: string): boolean {
  if (/^.$/su.test(token)) return true;
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f]/.test(token) || NO_TEXT.test(token)) return false;
  return !SEPARATOR.test(token) || namedKey(token.split(SEPARATOR)[0]!.trim()) === undefined;
}

function splitModifiers(token: string): { modifiers: Modifiers; rest: string } {
  const modifiers: Modifiers = { control: false, alt: false, shift: false };
  let rest = token;
  if (/^\^.$/su.test(rest)) return { modifiers: { ...modifiers, control: true }, rest: rest.slice(1) };
  for (let found = PREFIX.exec(rest); found !== null; found = PREFIX.exec(rest)) {
    const name = (found[1] ?? found[2])!.toLowerCase();
    if (CONTROL.includes(name)) modifiers.control = true;
    else if (SHIFT.includes(name)) modifiers.shift = true;
    else modifiers.alt = true;
    rest = rest.slice(found[0].length);
  }
  return { modifiers, rest };
}

function withModifiers(
  { plain, application, modified }: NamedKey,
  { control, alt, shift }: Modifiers,
  modes: KeyModes,
): string {
  const number = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (control ? 4 : 0);
  if (number > 1 && modified !== undefined) return modified.replace("MOD", String(number));
  // Without a sequence for the modifier, alt is a leading escape.
  const changed = shift && plain === "\t" ? `${ESC}[Z` : control ? (controlCharacter(plain) ?? plain) : plain;
  if (number > 1) return (alt ? ESC : "") + changed;
  const isApplication = modified === undefined ? modes.applicationKeypad : modes.applicationCursorKeys;
  return application !== undefined && isApplication ? application : plain;
}

function controlCharacter(character: string): string | undefined {
  if (character === "\u007f") return "\b";
  if (character === " ") return "\0";
  if (character === "?") return "\u007f";
  const code = character.toUpperCase().codePointAt(0) ?? 0;
  return code >= 0x40 && code <= 0x5f ? String.fromCodePoint(code - 0x40) : undefined;
}
