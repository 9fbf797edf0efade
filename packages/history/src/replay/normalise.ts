/** Parts that differ between runs, in search order. docs/reference/ledger.md lists them. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|\s?[+-]\d\d:?\d\d)?/g, "<time>"],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d\d? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [\d: ]+(?:[A-Z]{3,4}(?: \d{4})?|[+-]\d{4})?/g,
    "<time>",
  ],
  [/\b\d\d:\d\d:\d\d(?:\.\d+)?\b/g, "<time>"],
  [/\b(?:duration|elapsed|took|time)(?:_?(?:ms|ns|s))?["']?[ :=]+\d+(?:\.\d+)?/gi, "<span>"],
  [/\b\d+(?:\.\d+)?\s?(?:ns|[µu]s|ms|s|sec|seconds?|milliseconds?|min|minutes?)\b/g, "<span>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b[0-9a-z]{9}-[0-9a-f]{12}(?:-elsewhere)?\b/g, "<change>"],
  [/\b(?:pid|PID|process)[ :=]+\d+\b/g, "<process>"],
  [/\b0x[0-9a-f]{6,16}\b/gi, "<address>"],
  [
    /\/(?:var\/)?tmp\/[\w.-]*(?:[0-9][\w.-]*[A-Za-z]|[A-Za-z][\w.-]*[0-9]|[A-Za-z]{6,})[\w.-]*/g,
    "<temporary>",
  ],
  // The rest depends on the sandbox.
  [/^(Killed session [\w-]+), with everything .*$/gm, "$1."],
];

/**
 * Replaces parts that differ between runs (times, durations, ids, process numbers, addresses, temporary
 * files) by words such as `<time>`.
 *
 * @param same Equivalent texts as `[then, now]`: `now` becomes `then`.
 *
 * @example
 * ```ts run
 * import { normaliseText } from "@haft/history/replay";
 * normaliseText("3 tests passed in 41 ms, pid 4711"); // => "3 tests passed in <span>, <process>"
 * ```
 */
export function normaliseText(text: string, same: readonly (readonly [string, string])[] = []): string {
  let plain = text.replace(/\r\n/g, "\n").trimEnd();
  for (const [then, now] of same) plain = plain.replaceAll(now, then);
  for (const [pattern, word] of VOLATILE) plain = plain.replace(pattern, word);
  return plain;
}
