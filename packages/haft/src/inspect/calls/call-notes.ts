import { textOf } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { SessionEvent } from "@haft/core/kernel";
import type { CallWarning } from "@haft/inspector";

const MOST_CALLS = 500;
const MOST_WARNINGS = 20;
const MOST_WARNING = 2_000;
/** Characters that are shown of what a call says of itself; and those that are looked at for a secret that begins before them. */
const MOST_SAID = 4 * 1024;
const LOOKED = 16 * 1024;

/** What calls of sessions that are open were warned of, which no ledger has. */
export class InspectedCallNotes {
  readonly #kept = new Map<string, CallWarning[]>();

  /** Keeps a warning, its secrets covered. Answers what is told of it. */
  warn(key: string, { code, message }: CallWarning): CallWarning {
    const warning = { code, message: redactSecrets(message).slice(0, MOST_WARNING) };
    const known = this.#kept.get(key) ?? [];
    this.#kept.delete(key);
    this.#kept.set(key, [...known, warning].slice(-MOST_WARNINGS));
    if (this.#kept.size > MOST_CALLS) this.#kept.delete(this.#kept.keys().next().value!);
    return warning;
  }

  of(key: string): readonly CallWarning[] | undefined {
    return this.#kept.get(key);
  }
}

/** What a call says of itself while it runs, the end of it, with secrets covered that are whole. */
export function saidOf({ partial }: Extract<SessionEvent, { type: "tool-update" }>): string {
  return redactSecrets(textOf(partial.content).slice(-MOST_SAID - LOOKED)).slice(-MOST_SAID);
}
