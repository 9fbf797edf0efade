import { contentToText } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { SessionEvent } from "@haft/core/kernel";
import type { CallWarning } from "../../wire/api.ts";

const MAX_CALLS = 500;
const MAX_WARNINGS = 20;
const MAX_WARNING = 2_000;
/** Shown characters; more are searched for secrets. */
const MAX_PROGRESS = 4 * 1024;
const LOOKED = 16 * 1024;

/** Sessions' warnings are in no ledger. */
export class InspectedCallNotes {
  readonly #warnings = new Map<string, CallWarning[]>();

  warn(key: string, { code, message }: CallWarning): CallWarning {
    const warning = { code, message: redactSecrets(message).slice(0, MAX_WARNING) };
    const known = this.#warnings.get(key) ?? [];
    this.#warnings.delete(key);
    this.#warnings.set(key, [...known, warning].slice(-MAX_WARNINGS));
    if (this.#warnings.size > MAX_CALLS) this.#warnings.delete(this.#warnings.keys().next().value!);
    return warning;
  }

  get(key: string): readonly CallWarning[] | undefined {
    return this.#warnings.get(key);
  }
}

/** Masks complete secrets in the end of the progress. */
export function formatProgress({ partial }: Extract<SessionEvent, { type: "tool-update" }>): string {
  return redactSecrets(contentToText(partial.content).slice(-MAX_PROGRESS - LOOKED)).slice(-MAX_PROGRESS);
}
