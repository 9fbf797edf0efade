import type { Decision, ToolFacts } from "@haft/core";

export interface Answers {
  readonly visibility: Decision;
  /** The answer to every call, where no rule looks at what it would do. */
  readonly call: Decision | undefined;
  readonly needsSubjects: boolean;
}

/** More than any host has tools. */
const MOST_ALIKE = 10_000;

/** Answers of one policy for one kind of session. */
export class KnownAnswers {
  readonly #byTool = new WeakMap<ToolFacts, Answers>();
  /** Sessions have tools of their own that are described alike: what is said of one is said of all. */
  readonly #alike = new Map<string, Answers>();

  of(tool: ToolFacts, find: () => Answers): Answers {
    let known = this.#byTool.get(tool);
    if (known) return known;
    const key = describedAs(tool);
    known = this.#alike.get(key);
    if (!known) {
      if (this.#alike.size >= MOST_ALIKE) this.#alike.clear();
      this.#alike.set(key, (known = find()));
    }
    this.#byTool.set(tool, known);
    return known;
  }
}

/** All of a tool that rules look at before a call; of its parameters they look at what a call has. */
function describedAs(tool: ToolFacts): string {
  const { id, name, pluginId, optional, builtIn, effects, groups, actions, mcp, effectsUnknown } = tool;
  return JSON.stringify([
    id,
    name,
    pluginId,
    optional,
    builtIn,
    effects,
    groups,
    actions,
    mcp,
    effectsUnknown,
  ]);
}
