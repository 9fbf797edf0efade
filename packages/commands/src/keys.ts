import { createHash } from "node:crypto";

/** Parts are told apart whatever they contain. */
function keyOf(kind: string, parts: readonly string[]): string {
  return `${kind}:${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}

/** Key of a grant for one program in one folder, whatever its arguments. Both are real paths. */
export function programKey(realPath: string, cwd: string): string {
  return keyOf("program", [realPath, cwd]);
}

/** Ties a call to what it would use: versions of programs and scripts, hash of the variables, in any order. */
export function bindingOf(facts: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return keyOf("binding", sorted.flat());
}
