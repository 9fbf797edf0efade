export interface NamedInterpreter {
  name: string;
  args: readonly string[];
}

/**
 * Who runs a script by its first line, outermost first: `/usr/bin/env`, and what that looks for on the `PATH`. What `env`
 * would set or leave out is not followed: its program is the first word that is no option of it.
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
