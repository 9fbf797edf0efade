/**
 * A command line and what is expected of it: `unclear`, `carrier` (clear, one program that runs others), or the names of
 * the programs and builtins it runs, in order. `not harmless` holds for the first of them.
 */
export type Line = readonly [text: string, expected: string, not?: "not harmless"];
