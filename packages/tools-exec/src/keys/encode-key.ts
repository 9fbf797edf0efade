import { namedKey, type NamedKey } from "./named-keys.ts";

/** What the program on the terminal has asked for. */
export interface KeyModes {
  applicationCursorKeys: boolean;
  applicationKeypad: boolean;
}

/** Of a program that has asked for nothing. */
export const PLAIN_KEYS: KeyModes = { applicationCursorKeys: false, applicationKeypad: false };

export interface EncodedKey {
  bytes: string;
  /** Why it may not be what was meant. */
  warning?: string;
}

interface Modifiers {
  control: boolean;
  alt: boolean;
  shift: boolean;
}

const ESC = "\u001b";
const PREFIX = /^([CMS])-(?=.)/i;

/**
 * A key as a terminal sends it: a name (`enter`, `f5`), a character or text, with modifiers in front: `C-c`, `^c`,
 * `M-x`, `S-tab`, `C-M-left`. What has no sequence is sent as it is written.
 */
export function encodeKey(token: string, modes: KeyModes): EncodedKey {
  const { modifiers, rest } = splitModifiers(token);
  const named = namedKey(rest);
  if (named !== undefined) return { bytes: withModifiers(named, modifiers, modes) };
  const { control, alt, shift } = modifiers;
  if (!control && !alt && !shift) return { bytes: token };
  const [character = "", ...more] = rest;
  const wanted = shift ? character.toUpperCase() : character;
  const bytes = control ? controlCharacter(wanted) : wanted;
  if (more.length > 0 || bytes === undefined) {
    return { bytes: token, warning: `${JSON.stringify(token)} is no known key, so it was sent as text.` };
  }
  return { bytes: (alt ? ESC : "") + bytes };
}

function splitModifiers(token: string): { modifiers: Modifiers; rest: string } {
  const modifiers: Modifiers = { control: false, alt: false, shift: false };
  let rest = token;
  if (/^\^.$/su.test(rest)) return { modifiers: { ...modifiers, control: true }, rest: rest.slice(1) };
  for (let found = PREFIX.exec(rest); found !== null; found = PREFIX.exec(rest)) {
    const letter = found[1]!.toUpperCase();
    if (letter === "C") modifiers.control = true;
    else if (letter === "M") modifiers.alt = true;
    else modifiers.shift = true;
    rest = rest.slice(2);
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
  // Keys without a sequence of their own for it: alt is an escape before them, shift and control change some.
  const changed = shift && plain === "\t" ? `${ESC}[Z` : control ? (controlCharacter(plain) ?? plain) : plain;
  if (number > 1) return (alt ? ESC : "") + changed;
  const asked = modified === undefined ? modes.applicationKeypad : modes.applicationCursorKeys;
  return application !== undefined && asked ? application : plain;
}

/** `c` → 0x03. Undefined for characters no keyboard sends with control. */
function controlCharacter(character: string): string | undefined {
  if (character === "\u007f") return "\b";
  if (character === " ") return "\0";
  if (character === "?") return "\u007f";
  const code = character.toUpperCase().codePointAt(0) ?? 0;
  return code >= 0x40 && code <= 0x5f ? String.fromCodePoint(code - 0x40) : undefined;
}
