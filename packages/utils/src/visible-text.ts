/**
 * Terminal sequences: strings (OSC, DCS and their like, to their end or the line's), CSI, short ones.
 * Every part is optional after the introducer, so matching is linear. Node's
 * `stripVTControlCharacters` is not: 40 KB of `ESC ]` keep it busy for five seconds.
 */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// oxlint-disable-next-line no-control-regex
const NEEDS_CLEANING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/**
 * Returns a text without terminal sequences and control characters. Line ends become `\n`, and tabs stay. The time it takes is
 * linear in the length of the text, also for hostile input.
 *
 * @example
 * ```ts run
 * import { visibleText } from "@haft/utils";
 * visibleText("\u001b[31mfailed\u001b[0m\r\n"); // => "failed\n"
 * ```
 */
export function visibleText(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  return text.replace(TERMINAL, "").replace(/\r\n?/g, "\n").replace(CONTROL, "");
}

/**
 * Returns a text on one line in which nothing is hidden. Line ends and tabs become `\n`, `\r` and `\t`; other characters that
 * nobody sees, and unusual spaces, become `\u{200b}` and the like.
 *
 * @example
 * ```ts run
 * import { escapeInvisible } from "@haft/utils";
 * escapeInvisible("pay\u200bload\n"); // => "pay\\u{200b}load\\n"
 * ```
 */
export function escapeInvisible(text: string): string {
  // Most texts have nothing of it, and those that follow are long to look through.
  if (PRINTABLE.test(text)) return text;
  return text.replace(invisible(), (character) => {
    const short = SHORT.get(character);
    return short ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Characters that nobody sees or that look like others. Built when needed: compiling its classes takes half a millisecond. */
const invisible = () => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu;

const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * Returns the length of the longest run of backticks in a text. A code fence in Markdown that has more backticks can hold the
 * text. Without backticks the result is 0.
 *
 * @example
 * ```ts run
 * import { longestBacktickRun } from "@haft/utils";
 * longestBacktickRun("a ``code`` span"); // => 2
 * ```
 */
export function longestBacktickRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
