import { AsyncLocalStorage } from "node:async_hooks";
import type { Machine } from "./machine.ts";

/** Numbers between 0 and 1 that a seed draws, the same each time. */
function randomOf(seed: number): () => number {
  let state = (seed ^ 0x9e_37_79_b9) >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Something that is going to happen. */
export interface ScheduledEvent {
  readonly at: number;
  readonly order: number;
  /** What; taken away where it is called off. */
  run: (() => void) | undefined;
}

/** On whose machine the code runs that asks for the time. */
export const currentMachine = new AsyncLocalStorage<Machine>();

/** All that happens, one after the other, on a clock that only moves from one happening to the next. */
export class World {
  /** Milliseconds since it began. No machine can see them. */
  now = 0;
  readonly random: () => number;
  /** How much has happened. */
  count = 0;
  readonly #heap: ScheduledEvent[] = [];
  #order = 0;
  #trace: string[] | undefined;

  constructor(seed: number, trace?: string[]) {
    this.random = randomOf(seed);
    this.#trace = trace;
  }

  /** From one number to below another. */
  between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  chance(of: number): boolean {
    return this.random() < of;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)]!;
  }

  /** Lets something happen after so many milliseconds. */
  schedule(milliseconds: number, run: () => void): ScheduledEvent {
    const happening = { at: this.now + Math.max(0, milliseconds), order: this.#order++, run };
    push(this.#heap, happening);
    return happening;
  }

  /** For whoever asks what a seed did. */
  trace(what: () => string): void {
    this.#trace?.push(`${this.now.toFixed(1).padStart(10)} ${what()}`);
  }

  /** Goes on until it is so, or nothing happens any more, or until a time. */
  runUntil(isOver: () => boolean, until = Number.POSITIVE_INFINITY): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const step = () => {
      try {
        while (!isOver()) {
          const next = pop(this.#heap, until);
          if (next === undefined) break;
          const { run } = next;
          if (run === undefined) continue;
          this.now = Math.max(this.now, next.at);
          this.count += 1;
          run();
          return queueMicrotask(settled);
        }
        resolve();
      } catch (thrown) {
        reject(thrown);
      }
    };
    // Once all that follows from what has happened is done: microtasks of microtasks, too.
    const settled = () => process.nextTick(step);
    queueMicrotask(settled);
    return promise;
  }
}

function isSooner(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: ScheduledEvent[], one: ScheduledEvent): void {
  let at = heap.length;
  heap.push(one);
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isSooner(one, heap[above]!)) break;
    heap[at] = heap[above]!;
    at = above;
  }
  heap[at] = one;
}

function pop(heap: ScheduledEvent[], until: number): ScheduledEvent | undefined {
  const first = heap[0];
  if (first === undefined || first.at > until) return undefined;
  const last = heap.pop()!;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isSooner(heap[below + 1]!, heap[below]!)) below += 1;
    if (!isSooner(heap[below]!, last)) break;
    heap[at] = heap[below]!;
    at = below;
  }
  heap[at] = last;
  return first;
}
