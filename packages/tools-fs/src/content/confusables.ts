const DASHES = /[\u2010-\u2015\u2212]/g;
const SINGLE_QUOTES = /[\u2018-\u201b]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f]/g;
const SPACES = /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g;
const FOLDABLE = /[\u00a0\u2002-\u200a\u2010-\u2015\u2018-\u201f\u202f\u205f\u2212\u3000]/;

/** Replaces typographic dashes, quotes and spaces. The length stays the same. */
export function foldPunctuation(value: string): string {
  if (!FOLDABLE.test(value)) return value;
  return value
    .replace(DASHES, "-")
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(SPACES, " ");
}

/** Letters of other alphabets that look like Latin letters, by the Unicode list of confusable characters. */
const CONFUSABLE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ["АВЕЅІЈКМНОРСТУХ", "ABESIJKMHOPCTYX"],
    ["аеѕіјорсухԁһԛԝӏ", "aesijopcyxdhqwl"],
    ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"],
    ["οαιν", "oaiv"],
    ["；：！，（）［］｛｝＝＋＜＞", ";:!,()[]{}=+<>"],
  ].flatMap(([from, to]) =>
    Array.from(from as string, (letter, at) => [letter, (to as string)[at] as string]),
  ),
);
const CONFUSABLES = new RegExp(`[${Object.keys(CONFUSABLE).join("")}]`, "g");
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Folds normal forms and typographic punctuation. */
export function foldTypography(text: string): string {
  return foldPunctuation(text.normalize("NFC"));
}

/** Folds differences that a person cannot see: normal forms, invisible characters, and characters that look the same. */
export function foldConfusables(text: string): string {
  return foldTypography(text.replace(INVISIBLE, "")).replace(
    CONFUSABLES,
    (letter) => CONFUSABLE[letter] as string,
  );
}

/** Describes the first difference of two texts with its position: `line 1, column 4: oldText has U+00E9, the file has U+0065 U+0301`. */
export function describeHiddenDifference(requested: string, actual: string): string {
  const [wanted, found] = [Array.from(requested), Array.from(actual)];
  let at = 0;
  while (at < wanted.length && wanted[at] === found[at]) at += 1;
  const before = wanted.slice(0, at).join("").split("\n");
  const position = `line ${before.length}, column ${Array.from(before.at(-1) ?? "").length + 1} of the text`;
  return `${position}: it has ${nameAt(wanted, at)}, the file has ${nameAt(found, at)}`;
}

/** Names a character with its combining characters. */
function nameAt(characters: readonly string[], at: number): string {
  const first = characters[at];
  if (first === undefined) return "nothing";
  const more = characters.slice(at + 1, at + 4);
  const end = more.findIndex((next) => !/\p{M}/u.test(next));
  return [first, ...more.slice(0, end < 0 ? more.length : end)].map(codePoint).join(" ");
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
