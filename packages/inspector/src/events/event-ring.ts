import type { SourceEvent } from "../source/inspector-source.ts";
import type { Role } from "../wire/api.ts";

/** Events that are kept for whoever is behind. */
const MAX_EVENTS = 4_096;
/** Characters of them. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Characters that are handed out at once. */
const PIECE = 64 * 1024;

/** What comes after an event: its text, and the number of the last event in it. */
interface After {
  text: string;
  last: number;
}

type Kept = Readonly<Record<Role, string>>;

/**
 * The newest events, as the stream has them. Whoever reads keeps a number and takes what is behind it when there is room for that:
 * a reader that stalls costs nothing, and is told when it has missed some.
 */
export class EventRing {
  readonly #instance: string;
  readonly #texts: Kept[] = [];
  /** The number of the first that is kept. */
  #first = 1;
  #characters = 0;
  readonly #waiting = new Set<() => void>();

  /** @param instance begins the id of each event */
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
    const look = known === event ? act : formatFrame(known, id);
    this.#texts.push({ act, look });
    this.#characters += act.length;
    while (this.#texts.length > MAX_EVENTS || (this.#characters > MAX_CHARACTERS && this.#texts.length > 1)) {
      this.#characters -= this.#texts.shift()!.act.length;
      this.#first++;
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** What came after an event, as much as is handed out at once; `behind`: some of it is not kept any more. */
  after(number: number, role: Role): After | "behind" | undefined {
    if (number >= this.last) return undefined;
    if (number < this.#first - 1) return "behind";
    let text = "";
    let last = number;
    while (last < this.last && text.length < PIECE) text += this.#texts[++last - this.#first]![role];
    return { text, last };
  }

  /** The number in an id of this start; `undefined` for those of another one, and for what is none. */
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

/** An event as the stream has it. JSON has no line ends, so one line holds it. */
export function formatFrame(event: { type: string }, id?: string): string {
  const number = id === undefined ? "" : `id: ${id}\n`;
  return `${number}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** A piece of a secret is not known for one. Whoever only looks fetches what was printed by whole lines. */
function forLooking(event: SourceEvent): SourceEvent {
  if (event.type === "output") return { ...event, from: event.total, text: "" };
  return event.type === "progress" ? { ...event, text: "" } : event;
}
