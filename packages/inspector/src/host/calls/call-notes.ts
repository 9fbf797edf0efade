import { contentToText } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { SessionEvent } from "@haft/core/kernel";
import type { CallWarning } from "../../wire/api.ts";

const MAX_CALLS = 500;
const MAX_WARNINGS = 20;
const MAX_WARNING = 2_000;
/** Characters that are shown of what a call says of itself; and those that are looked at for a secret that begins before them. */
const MAX_SAID = 4 * 1024;
const LOOKED = 16 * 1024;

/** What calls of sessions that are open were warned of, which no ledger has. */
export class InspectedCallNotes {
  readonly #kept = new Map<string, CallWarning[]>();

  /** Keeps a warning, its secrets covered. Answers what is told of it. */
  warn(key: string, { code, message }: CallWarning): CallWarning {
    const warning = { code, message: redactSecrets(message).slice(0, MAX_WARNING) };
    const known = this.#kept.get(key) ?? [];
    this.#kept.delete(key);
    this.#kept.set(key, [...known, warning].slice(-MAX_WARNINGS));
    if (this.#kept.size > MAX_CALLS) this.#kept.delete(this.#kept.keys().next().value!);
    return warning;
  }

  get(key: string): readonly CallWarning[] | undefined {
    return this.#kept.get(key);
  }
}

/** What a call says of itself while it runs, the end of it, with secrets covered that are whole. */
export function formatProgress({ partial }: Extract<SessionEvent, { type: "tool-update" }>): string {
  return redactSecrets(contentToText(partial.content).slice(-MAX_SAID - LOOKED)).slice(-MAX_SAID);
}
