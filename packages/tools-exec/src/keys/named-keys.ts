export interface NamedKey {
  plain: string;
  application?: string;
  /** `MOD` is a placeholder for the number of the modifier. */
  modified?: string;
}

const ESC = "\u001b";

/** Cursor keys: `CSI A`, `SS3 A` for applications, `CSI 1;5A` with a modifier. */
const cursor = (letter: string): NamedKey => ({
  plain: `${ESC}[${letter}`,
  application: `${ESC}O${letter}`,
  modified: `${ESC}[1;MOD${letter}`,
});
const function4 = (letter: string): NamedKey => ({
  plain: `${ESC}O${letter}`,
  modified: `${ESC}[1;MOD${letter}`,
});
const tilde = (number: number): NamedKey => ({
  plain: `${ESC}[${number}~`,
  modified: `${ESC}[${number};MOD~`,
});
/** Keypad keys: the character, or `SS3 p` for applications. */
const keypad = (character: string, letter: string): NamedKey => ({
  plain: character,
  application: `${ESC}O${letter}`,
});

const KEYS: Readonly<Record<string, NamedKey>> = {
  enter: { plain: "\r" },
  tab: { plain: "\t" },
  btab: { plain: `${ESC}[Z` },
  esc: { plain: ESC },
  space: { plain: " " },
  bspace: { plain: "\u007f" },
  up: cursor("A"),
  down: cursor("B"),
  right: cursor("C"),
  left: cursor("D"),
  home: cursor("H"),
  end: cursor("F"),
  insert: tilde(2),
  delete: tilde(3),
  pgup: tilde(5),
  pgdn: tilde(6),
  f1: function4("P"),
  f2: function4("Q"),
  f3: function4("R"),
  f4: function4("S"),
  f5: tilde(15),
  f6: tilde(17),
  f7: tilde(18),
  f8: tilde(19),
  f9: tilde(20),
  f10: tilde(21),
  f11: tilde(23),
  f12: tilde(24),
  ...Object.fromEntries(
    "pqrstuvwxy".split("").map((letter, digit) => [`kp${digit}`, keypad(`${digit}`, letter)]),
  ),
  "kp.": keypad(".", "n"),
  "kp+": keypad("+", "k"),
  "kp-": keypad("-", "m"),
  "kp*": keypad("*", "j"),
  "kp/": keypad("/", "o"),
  kpenter: keypad("\r", "M"),
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  return: "enter",
  cr: "enter",
  escape: "esc",
  backtab: "btab",
  backspace: "bspace",
  bs: "bspace",
  del: "delete",
  dc: "delete",
  ins: "insert",
  ic: "insert",
  pageup: "pgup",
  prior: "pgup",
  ppage: "pgup",
  pagedown: "pgdn",
  next: "pgdn",
  pgdown: "pgdn",
  npage: "pgdn",
  spacebar: "space",
  arrowup: "up",
  arrowdown: "down",
  arrowleft: "left",
  arrowright: "right",
  uparrow: "up",
  downarrow: "down",
  leftarrow: "left",
  rightarrow: "right",
};

export const KEY_NAMES: readonly string[] = Object.keys(KEYS).filter((name) => !name.startsWith("kp"));

/** Ignores case and separators of words: `page-down`, `PageDown`. */
export function namedKey(name: string): NamedKey | undefined {
  const words = name.toLowerCase();
  const known = /^[a-z]+(?:[-_ ][a-z]+)+$/.test(words) ? words.replaceAll(/[-_ ]/g, "") : words;
  const key = Object.hasOwn(OTHER_NAMES, known) ? OTHER_NAMES[known]! : known;
  return Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
}
