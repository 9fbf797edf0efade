/** Parts are told apart whatever they contain. */
function keyOf(kind: string, parts: readonly string[]): string {
  // Loaded when the first key is made, for the sake of everybody who makes none.
  const { hash } = process.getBuiltinModule("node:crypto");
  return `${kind}:${hash("sha256", JSON.stringify(parts))}`;
}

/**
 * Key of a grant for one program in one folder, whatever its arguments. Both are real paths; the versions are those of the
 * program and of whatever runs it, so that what is put in its place is another one. What is allowed in command lines for one
 * shell is not thereby allowed in those for another; `sh` by default.
 */
export function programKey(realPath: string, cwd: string, versions: readonly string[], shell = "sh"): string {
  return keyOf(shell === "sh" ? "program" : `program in ${shell}`, [realPath, cwd, ...versions]);
}

/** Ties a call to what it would use: versions of programs and scripts, hash of the variables, in any order. */
export function hashBinding(facts: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return keyOf("binding", sorted.flat());
}
