/** What a reader cannot see, or would take for something else; as `escapeInvisible` of the kernel has it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu;
/** Of these, what turns text around. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text of anybody's with what cannot be seen written out: `\u{202e}`. Line ends and tabs stay. */
export function escapeInvisible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, (letter) => (letter === "\n" || letter === "\t" ? letter : written(letter)));
}

export function escapeInvisibleLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s*\n\s*/g, " ⏎ ").replaceAll("\t", " "));
}

/** For a terminal, which knows what to do with control characters: only what turns text around is written out. */
export function escapeBidi(text: string): string {
  return text.replace(TURNING, written);
}

function written(letter: string): string {
  return `\\u{${letter.codePointAt(0)!.toString(16)}}`;
}
