import { compileCommandPattern } from "../patterns/command-pattern.ts";
import { parseSelector } from "../patterns/selector.ts";
import { type PolicyConfig, ruleLists, scopeParts, type SessionRules } from "../read/policy-config.ts";
import type { KeyPath } from "../read/problems.ts";

/** A command pattern of a policy, and a line that it matches. */
export interface CommandSample {
  /** Where the pattern stands. */
  readonly path: KeyPath;
  /** As it stands there. */
  readonly pattern: string;
  /** Its program, a name or a path. */
  readonly program: string;
  /** Shell lines that it fits, or nearly: what they have in common, is so of all that it fits. */
  readonly lines: readonly string[];
  /** It stands in a list that lets commands through. */
  readonly opens: boolean;
}

/** The patterns of a policy that name one program: what can be compared with the programs that are there. */
export function commandSamples(config: PolicyConfig): CommandSample[] {
  const samples: CommandSample[] = [];
  const add = (pattern: string, path: KeyPath, opens: boolean): void => {
    const compiled = compileCommandPattern(pattern);
    if ("message" in compiled || compiled.program.length > 1) return;
    // Without arguments any are meant.
    const whole = compiled.args === undefined && !pattern.endsWith(" *") ? `${pattern} *` : pattern;
    const lines = [" x", ""].map((word) =>
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
