import { attempt } from "@haft/system";

export interface ParsedHookEntry {
  programs: string[];
  env: Record<string, string>;
  policyFile: string | undefined;
  watchOnly: boolean;
}

/**
 * Parses an installed hook of any version.
 *
 * @param installed The command line, or the text of the module.
 *
 * @example
 * ```ts run
 * import { parseHookEntry } from "@haft/guard/internal/agents";
 * parseHookEntry("/usr/bin/node /opt/haft/guard-hook.js claude --policy /etc/policy.yaml").policyFile; // => "/etc/policy.yaml"
 * ```
 */
export function parseHookEntry(installed: string): ParsedHookEntry {
  const words = readModuleArguments(installed) ?? wordsOfLine(installed);
  const at = words.indexOf("--policy");
  const hook = words.findIndex((word) => /[/\\]guard-hook\.c?[jt]s$/.test(word));
  const node = words.slice(0, hook).findLast((word) => /[/\\](?:node|bun)(?:\.exe)?$/.test(word));
  return {
    env: envOf(installed, words.slice(0, hook)),
    programs: [node, words[hook]].filter((word) => word !== undefined),
    policyFile: at < 0 ? undefined : words[at + 1],
    watchOnly: words.includes("--watch-only"),
  };
}

export function readConstant(text: string, name: string): unknown {
  const value = new RegExp(String.raw`^const ${name} = (.*);$`, "m").exec(text)?.[1];
  return value === undefined ? undefined : attempt(() => JSON.parse(value) as unknown);
}

function envOf(installed: string, words: readonly string[]): Record<string, string> {
  const ofModule = readConstant(installed, "ENV");
  if (ofModule !== undefined) return Object(ofModule) as Record<string, string>;
  return Object.fromEntries(
    words.flatMap((word) => {
      const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(word) ?? [];
      return name === undefined ? [] : [[name, value!]];
    }),
  );
}

export function readModuleArguments(text: string): string[] | undefined {
  const [program, words] = ["PROGRAM", "WORDS"].map((name) => readConstant(text, name));
  return typeof program === "string" && Array.isArray(words) ? [program, ...words.map(String)] : undefined;
}

function wordsOfLine(line: string): string[] {
  return parseShellWords(line.split(" || ", 1)[0]!);
}

export function parseShellWords(text: string): string[] {
  return [...text.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\'/g, (whole, inside?: string) => (whole === String.raw`\'` ? "'" : inside!)),
  );
}
