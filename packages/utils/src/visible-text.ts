/**
 * Terminal sequences: strings (OSC, DCS and others, to their end or the line's), CSI, short sequences. Matching is linear, since every part
 * after the introducer is optional. Node's `stripVTControlCharacters` takes five seconds for 40 KB of `ESC ]`.
 */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// oxlint-disable-next-line no-control-regex
const NEEDS_CLEANING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/**
 * Returns a text without terminal sequences and control characters. Line ends become `\n`, and tabs stay. The time is linear in the
 * length, also for hostile input.
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
 * Returns a text on one line without hidden parts. Line ends and tabs become `
 * `, `\r` and `\t`; invisible characters and unusual spaces become `\u{200b}` and similar.
 *
 * @example
 * ```ts run
 * import { escapeInvisible } from "@haft/utils";
 * escapeInvisible("pay\u200bload\n"); // => "pay\\u{200b}load\\n"
 * ```
 */
export function escapeInvisible(text: string): string {
  // Most texts need no escape, and the next searches are slow.
  if (PRINTABLE.test(text)) return text;
  return text.replace(invisible(), (character) => {
    const short = SHORT.get(character);
    return short ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Invisible and ambiguous characters. Built on demand: compiling its classes takes half a millisecond. */
const invisible = () => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu;

const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/**
 * Returns the length of the longest run of backticks in a text. A Markdown fence with more backticks can contain the text.
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
