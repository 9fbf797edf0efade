import { compileCommandPattern } from "../patterns/command-pattern.ts";
import { parseSelector } from "../patterns/selector.ts";
import { type PolicyConfig, ruleLists, scopeParts, type SessionRules } from "../read/policy-config.ts";
import type { KeyPath } from "../read/problems.ts";

/** Describes a command pattern, with sample lines. */
export interface CommandSample {
  /** Locates the pattern. */
  readonly path: KeyPath;
  /** Contains the pattern. */
  readonly pattern: string;
  /** Contains a name or path. */
  readonly program: string;
  /** Lists lines that match, or nearly. A fact about all of them is true for every matching line. */
  readonly lines: readonly string[];
  /** Indicates that the list allows commands. */
  readonly opens: boolean;
}

/**
 * Returns the command patterns that name exactly one program. A host can compare them with its programs.
 *
 * @example
 * ```ts run
 * import { commandSamples } from "@haft/policy";
 *
 * const [sample] = commandSamples({ exec: { allow: ["git log*"] } });
 * sample?.program; // => "git"
 * sample?.lines; // => ["git log"]
 * ```
 */
export function commandSamples(config: PolicyConfig): CommandSample[] {
  const samples: CommandSample[] = [];
  const add = (pattern: string, path: KeyPath, opens: boolean): void => {
    const compiled = compileCommandPattern(pattern);
    if ("message" in compiled || compiled.program.length > 1) return;
    const whole = compiled.args === undefined && !pattern.endsWith(" *") ? `${pattern} *` : pattern;
    // The other word is a remote of git.
    const lines = [" x", " https://example.com/x", ""].map((word) =>
      whole.replaceAll(/\\.|(?: |^)\*(?= |$)|\*/gs, (part) => {
        if (part.startsWith("\\")) return part;
        return part.startsWith(" ") ? word : "";
      }),
    );
    samples.push({ path, pattern, program: compiled.program[0]!, lines: [...new Set(lines)], opens });
  };
  for (const [path, rules] of scopesIn(config)) {
    for (const list of ruleLists) {
      for (const [index, text] of (rules[list] ?? []).entries()) {
        const parsed = parseSelector(text);
        for (const { kind, pattern } of "message" in parsed ? [] : (parsed.conditions ?? []))
          if (kind === "command") add(pattern, [...path, list, index], list === "allow" || list === "grant");
      }
    }
    for (const [index, pattern] of (rules.exec?.allow ?? []).entries())
      add(pattern, [...path, "exec", "allow", index], true);
  }
  return samples;
}

function* scopesIn(config: PolicyConfig): Generator<[KeyPath, SessionRules]> {
  yield [[], config];
  for (const part of scopeParts) {
    for (const [key, rules] of Object.entries(config[part] ?? {})) yield [[part, key], rules];
  }
  if (config.subagents) yield [["subagents"], config.subagents];
}
