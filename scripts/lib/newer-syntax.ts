import { parseSync, Visitor } from "oxc-parser";

/** Finds syntax that the compiler accepts, but not the oldest supported Node. */
export function newerSyntax(code: string): string[] {
  const found: string[] = [];
  // Few files contain the word, so most avoid slow parsing.
  if (!/\busing\b/.test(code)) return found;
  new Visitor({
    VariableDeclaration({ kind }) {
      if (kind === "using" || kind === "await using") found.push(`${kind} needs Node 24: close in finally`);
    },
  }).visit(parseSync("sample.ts", code).program);
  return found;
}
