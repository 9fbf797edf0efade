import { parseSync, Visitor } from "oxc-parser";

/** What a sample is written with that the oldest Node of the packages does not read, though the compiler does. */
export function newerSyntax(code: string): string[] {
  const found: string[] = [];
  // Parsing takes time, and few files have the word.
  if (!/\busing\b/.test(code)) return found;
  new Visitor({
    VariableDeclaration({ kind }) {
      if (kind === "using" || kind === "await using") found.push(`${kind} needs Node 24: close in finally`);
    },
  }).visit(parseSync("sample.ts", code).program);
  return found;
}
