/** Like `escapeInvisible` of the kernel. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu;
/** Changes text direction. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Writes `\u{202e}` for invisible characters, except line ends and tabs. */
export function escapeInvisible(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(UNSEEN, (letter) => (letter === "\n" || letter === "\t" ? letter : written(letter)));
}

export function escapeInvisibleLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s*\n\s*/g, " ⏎ ").replaceAll("\t", " "));
}

/** Terminals handle other control characters. */
export function escapeBidi(text: string): string {
  return text.replace(TURNING, written);
}

function written(letter: string): string {
  return `\\u{${letter.codePointAt(0)!.toString(16)}}`;
}
