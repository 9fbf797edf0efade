import { maskSecrets } from "@haft/core/internal/records";
import type { SourceEvent } from "../source/inspector-source.ts";
import type { Role } from "../wire/api.ts";

/** For streams that are behind. */
const MAX_EVENTS = 4_096;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Characters in one piece. */
const PIECE = 64 * 1024;

/** Later events as text, and the last one's number. */
interface After {
  text: string;
  last: number;
}

type Stored = Readonly<Record<Role, string>>;

/**
 * Contains the newest events in stream format. Readers pull by number, so a stalled reader costs nothing and
 * learns of missed events.
 */
export class EventRing {
  readonly #instance: string;
  readonly #texts: Stored[] = [];
  #first = 1;
  #characters = 0;
  readonly #waiting = new Set<() => void>();

  /** @param instance Prefix of event ids. */
  constructor(instance: string) {
    this.#instance = instance;
  }

  get last(): number {
    return this.#first + this.#texts.length - 1;
  }

  add(event: SourceEvent): void {
    const id = `${this.#instance}.${this.last + 1}`;
    const act = formatFrame(event, id);
    const known = forLooking(event);
    const reading = known === event ? act : formatFrame(known, id);
    this.#texts.push({ act, look: reading });
    this.#characters += act.length;
    while (this.#texts.length > MAX_EVENTS || (this.#characters > MAX_CHARACTERS && this.#texts.length > 1)) {
      this.#characters -= this.#texts.shift()!.act.length;
      this.#first++;
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Returns a piece of later events; `behind` if some were dropped. */
  after(number: number, role: Role): After | "behind" | undefined {
    if (number >= this.last) return undefined;
    if (number < this.#first - 1) return "behind";
    let text = "";
    let last = number;
    while (last < this.last && text.length < PIECE) text += this.#texts[++last - this.#first]![role];
    return { text, last };
  }

  /** `undefined` for invalid ids, and ids of another start. */
  parseId(id: string): number | undefined {
    const [, instance, digits] = /^([0-9a-f]+)\.(\d{1,15})$/.exec(id) ?? [];
    const number = Number(digits);
    return instance === this.#instance && number <= this.last ? number : undefined;
  }

  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

/** JSON has no line ends. */
export function formatFrame(event: { type: string }, id?: string): string {
  const number = id === undefined ? "" : `id: ${id}\n`;
  return `${number}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Parts of a secret are unrecognisable, so read-only tokens fetch whole lines. Only a person who decides needs the whole preview. */
function forLooking(event: SourceEvent): SourceEvent {
  if (event.type === "approval") return maskSecrets(event);
  if (event.type === "output") return { ...event, from: event.total, text: "" };
  return event.type === "progress" ? { ...event, text: "" } : event;
}
