import type { ToolOutcome } from "../contract/result.ts";

export interface RunningCall {
  readonly id: string;
  readonly answeredAs: string;
  readonly nesting: number;
  place: number;
  abort(reason: unknown): void;
  recorded(): Promise<ToolOutcome>;
}

/** The calls of a session that have not ended. Each joins and leaves, few are there at a time, and hardly any is looked for. */
export class RunningCalls {
  readonly #calls: RunningCall[] = [];

  join(call: RunningCall): void {
    call.place = this.#calls.push(call) - 1;
  }

  /** The last one takes its place. */
  leave(call: RunningCall): void {
    const { place } = call;
    if (this.#calls[place] !== call) return;
    const last = this.#calls.pop()!;
    if (last === call) return;
    this.#calls[place] = last;
    last.place = place;
  }

  /** By its own id, or by that it came with. */
  find(id: string): RunningCall | undefined {
    return this.#calls.find((call) => call.id === id) ?? this.#calls.find((call) => call.answeredAs === id);
  }

  all(): readonly RunningCall[] {
    return [...this.#calls];
  }
}
