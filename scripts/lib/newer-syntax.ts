import { parseSync, Visitor } from "oxc-parser";

/** Finds syntax in a sample that the compiler accepts, but the oldest Node of the packages does not. */
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
