/** Parts remain distinct, whatever they contain. */
function keyOf(kind: string, parts: readonly string[]): string {
  // Loaded with the first key, because most programs need none.
  const { hash } = process.getBuiltinModule("node:crypto");
  return `${kind}:${hash("sha256", JSON.stringify(parts))}`;
}

/**
 * Returns the key of a grant for one program in one folder, with any arguments.
 *
 * @param realPath Real path of the program.
 * @param cwd Real path of the folder.
 * @param versions Versions of the program and its interpreter: a replaced program has another key.
 * @param shell A grant for one shell does not cover another.
 */
export function programKey(realPath: string, cwd: string, versions: readonly string[], shell = "sh"): string {
  return keyOf(shell === "sh" ? "program" : `program in ${shell}`, [realPath, cwd, ...versions]);
}

/** Returns a key for everything a call would use, in any order. */
export function hashBinding(facts: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return keyOf("binding", sorted.flat());
}
