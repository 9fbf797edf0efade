import { HaftError } from "@haft/core";
import { createPolicy, type PolicyConfig, type PolicyProblem } from "@haft/policy";
import { escapeInvisible, truncate } from "@haft/utils";
import { getAgent } from "../agents/agents.ts";
import { guardTools } from "../decide/judge.ts";

/** Locates a rule. */
export interface RuleSource {
  file: string;
  /** Counts from 1. Absent for a default. */
  line?: number;
  text: string;
}

export interface UntranslatedRule extends RuleSource {
  /** A sentence without a full stop. */
  why: string;
}

export type DefaultEffect = "allow" | "ask" | "deny";

interface Entry {
  entry: string;
  from: readonly RuleSource[];
}

/** The policy is at least as strict as the agent's rules: an inexpressible restriction becomes a question, and a permission is left out. */
export class PolicyDraft {
  readonly notTranslated: UntranslatedRule[] = [];
  commands: DefaultEffect = "ask";
  readonly #agent: string;
  readonly #lists: Record<"deny" | "ask" | "allowed", Map<string, Entry>> = {
    deny: new Map(),
    ask: new Map(),
    allowed: new Map(),
  };

  constructor(agent: string) {
    this.#agent = agent;
  }

  /** @param otherwise Entries for questions instead. */
  restrict(
    list: "deny" | "ask",
    entries: readonly string[],
    otherwise: readonly string[],
    from: RuleSource,
  ): void {
    const problem = entries
      .map((entry) => this.#problem({ [list]: [entry] }))
      .find((each) => each !== undefined);
    if (problem === undefined && entries.length > 0) {
      for (const entry of entries) this.#add(list, entry, from);
      return;
    }
    for (const entry of otherwise) this.#add("ask", entry, from);
    const why = problem ?? "the policy has no such rule";
    this.skip(
      from,
      `it cannot be expressed (${why}), so the policy asks about ${otherwise.join(", ")} instead`,
    );
  }

  allowCommands(patterns: readonly string[], from: RuleSource): void {
    for (const pattern of patterns) {
      const problem = this.#problem({ exec: { allow: [pattern] } });
      if (problem === undefined) this.#add("allowed", pattern, from);
      else this.skip(from, `it cannot be expressed (${problem}), so it is not allowed`);
    }
  }

  skip(from: RuleSource, why: string): void {
    const isKnown = this.notTranslated.some(
      (each) => each.line === from.line && each.text === from.text && each.why === why,
    );
    if (!isKnown) this.notTranslated.push({ ...from, why });
  }

  /** Returns the policy. Entries that a denial covers are left out. */
  get config(): PolicyConfig {
    let config = this.#whole();
    for (;;) {
      const problems = this.#problems(config);
      const { ask = [], exec } = config;
      const isRight = (list: string) => (_entry: string, index: number) =>
        !problems.some(({ path }) => path === `${list}[${index}]`);
      const askEntries = ask.filter(isRight("ask"));
      const allowed = exec?.allow?.filter(isRight("exec.allow"));
      if (askEntries.length === ask.length && allowed?.length === exec?.allow?.length) return config;
      const { ask: _ask, exec: _exec, ...others } = config;
      const isEmpty = exec !== undefined && allowed?.length === 0;
      config = {
        ...others,
        ...withEntries("ask", isEmpty ? [...askEntries, "exec"] : askEntries),
        ...(exec && !isEmpty && { exec: { ...exec, allow: allowed! } }),
      };
    }
  }

  #whole(): PolicyConfig {
    const [deny = [], ask = [], allow = []] = (["deny", "ask", "allowed"] as const).map((list) => [
      ...this.#lists[list].keys(),
    ]);
    const { commands } = this;
    const isGate = commands !== "allow" && allow.length > 0;
    const all = isGate ? [] : ["exec"];
    const denied = commands === "deny" ? [...deny, ...all] : deny;
    const allAsks = commands === "ask" ? [...ask, ...all] : ask;
    const gate = {
      security: "allowlist",
      ask: commands === "ask" ? "on-miss" : "off",
      safeBins: [],
      allow,
    } as const;
    return {
      ...withEntries("deny", [...new Set(denied)]),
      ...withEntries("ask", [...new Set(allAsks)]),
      ...(isGate && { exec: gate }),
    };
  }

  text(heading: readonly string[]): string {
    const { deny = [], ask = [], exec } = this.config;
    const left = this.notTranslated.map(({ why, ...from }) => `#   ${shown(from)}: ${oneLine(why)}.`);
    const lines = [
      ...heading.map((line) => `# ${oneLine(line)}`),
      ...(left.length === 0 ? [] : ["# Changed or left out:", ...left]),
      ...this.#section("deny", deny, "deny", 0),
      ...this.#section("ask", ask, "ask", 0),
    ];
    if (exec !== undefined) {
      lines.push(
        "exec:",
        "  security: allowlist",
        `  # Commands that are not listed ${exec.ask === "off" ? "are denied" : "need approval"}.`,
        `  ask: ${JSON.stringify(exec.ask)}`,
        "  safeBins: []",
        ...this.#section("allow", exec.allow ?? [], "allowed", 2),
      );
    }
    if (deny.length + ask.length === 0 && exec === undefined) lines.push("{}");
    return `${lines.join("\n")}\n`;
  }

  #section(
    key: string,
    entries: readonly string[],
    list: "deny" | "ask" | "allowed",
    indent: number,
  ): string[] {
    if (entries.length === 0) return [];
    const space = " ".repeat(indent);
    let last = "";
    const lines = entries.flatMap((entry) => {
      const from = this.#lists[list].get(entry)?.from ?? [];
      const comment = from.length === 0 ? "default for other calls" : from.map(shown).join(", ");
      const isNew = comment !== last;
      last = comment;
      return [...(isNew ? [`${space}  # ${comment}`] : []), `${space}  - ${JSON.stringify(entry)}`];
    });
    return [`${space}${key}:`, ...lines];
  }

  #add(list: "deny" | "ask" | "allowed", entry: string, from: RuleSource): void {
    const known = this.#lists[list].get(entry);
    const isKnown = known?.from.some(({ line, text }) => line === from.line && text === from.text) === true;
    if (!isKnown) this.#lists[list].set(entry, { entry, from: [...(known?.from ?? []), from] });
  }

  #problem(config: PolicyConfig): string | undefined {
    const [first] = this.#problems(config);
    return first?.message.split(/\. (?=[A-Z])/, 1)[0]!.replace(/\.$/, "");
  }

  #problems(config: PolicyConfig): readonly PolicyProblem[] {
    try {
      createPolicy(config, { tools: guardTools(getAgent(this.#agent)), partial: true });
      return [];
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
      return (thrown.details as { problems: PolicyProblem[] }).problems;
    }
  }
}

function withEntries(key: "deny" | "ask", entries: readonly string[]): PolicyConfig {
  return entries.length === 0 ? {} : { [key]: entries };
}

const LONGEST = 120;

/**
 * Returns file and line of a rule.
 *
 * @example
 * ```ts run
 * import { formatLocation } from "@haft/guard/internal/agents";
 * formatLocation({ file: "settings.json", line: 7, text: "Bash(npm test)" }); // => "settings.json:7"
 * ```
 */
export function formatLocation({ file, line }: RuleSource): string {
  return line === undefined ? file : `${file}:${line}`;
}

function shown({ text, ...from }: RuleSource): string {
  return oneLine(`${formatLocation({ ...from, text })} ${truncate(text, LONGEST)}`);
}

function oneLine(text: string): string {
  return escapeInvisible(text.replaceAll(/\s+/g, " ")).trim();
}
