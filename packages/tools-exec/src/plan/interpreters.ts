export interface NamedInterpreter {
  name: string;
  args: readonly string[];
}

/**
 * Returns the interpreters of a script, outermost first: `/usr/bin/env`, then the program on the `PATH`, which is the first word that is
 * not an option. Ignores variables that `env` would change.
 */
export function parseInterpreters(shebang: string): NamedInterpreter[] {
  const [name = "", ...args] = shebang.split(/[ \t]+/);
  if (name === "") return [];
  if (!/(?:^|\/)env$/.test(name)) return [{ name, args }];
  const words = args.map((word) => word.replace(/^(?:-S|--split-string=)/, ""));
  const at = words.findIndex((word) => word !== "" && !word.startsWith("-") && !word.includes("="));
  const started = words[at];
  return [{ name, args }, ...(started === undefined ? [] : [{ name: started, args: words.slice(at + 1) }])];
}
