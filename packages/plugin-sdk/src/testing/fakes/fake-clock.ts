import { setImmediate } from "node:timers/promises";

/**
 * Describes a clock that only a test moves.
 *
 * @example
 * ```ts run
 * import { createFakeClock } from "@haft/plugin-sdk/testing";
 *
 * const clock = createFakeClock(Date.UTC(2026, 0, 1));
 * const timer = setInterval(() => {}, 1000);
 * await clock.advance(2500);
 * const seen = { waiting: clock.waiting, now: new Date(clock.now()).toISOString() };
 * clearInterval(timer);
 * clock.restore();
 * seen; // => { waiting: 1, now: "2026-01-01T00:00:02.500Z" }
 * ```
 */
export interface FakeClock extends Disposable {
  /** Returns the time in milliseconds since the epoch. */
  now(): number;
  /**
   * Moves the time and runs each due timer, with everything that follows at once. It does not wait for files or modules, so a test advances
   * after the tool has begun.
   */
  advance(milliseconds: number): Promise<void>;
  /** Counts waiting timers. */
  readonly waiting: number;
  /** Restores the system's clock. Waiting timers are dropped. */
  restore(): void;
}

interface Timer {
  at: number;
  run: () => void;
  /** Milliseconds of an interval. */
  every?: number;
}

const NAMES = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
/** Work without timers ends within this many turns of the event loop. */
const TURNS = 5;

let inUse = false;

/**
 * Replaces `Date`, `setTimeout`, `setInterval`, `clearTimeout` and `clearInterval` in this process, and so the kernel's deadlines. It does
 * not replace `node:timers`, `performance` and `AbortSignal.timeout`.
 *
 * @param start Default: the current time.
 * @throws Error if there is already a fake clock
 * @example
 * ```ts run
 * import { createFakeClock } from "@haft/plugin-sdk/testing";
 *
 * const clock = createFakeClock(0);
 * try {
 *   setTimeout(() => console.log("due"), 60_000);
 *   await clock.advance(60_000); // runs the timer
 * } finally {
 *   clock.restore();
 * }
 * ```
 */
export function createFakeClock(start: Date | number = Date.now()): FakeClock {
  if (inUse) throw new Error("There is a fake clock already. Restore it first, or use that one.");
  inUse = true;
  const before = NAMES.map((name) => [name, globalThis[name]] as const);
  const RealDate = Date;
  let now = Number(start);
  let last = 0;
  const timers = new Map<number, Timer>();
  const set = (run: (...args: unknown[]) => void, ms: unknown, args: unknown[], repeats: boolean) => {
    const delay = Math.max(1, Math.trunc(Number(ms)) || 1);
    const id = ++last;
    const timer: Timer = { at: now + delay, run: () => run(...args) };
    timers.set(id, repeats ? { ...timer, every: delay } : timer);
    return handleOf(id, () => timers.delete(id));
  };
  const clear = (handle: unknown) => void timers.delete(Number(handle));
  class FakeDate extends RealDate {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(now);
      else super(...(args as [number]));
    }
    static override now(): number {
      return now;
    }
  }
  Object.assign(globalThis, {
    Date: FakeDate,
    setTimeout: (run: () => void, ms?: number, ...args: unknown[]) => set(run, ms, args, false),
    setInterval: (run: () => void, ms?: number, ...args: unknown[]) => set(run, ms, args, true),
    clearTimeout: clear,
    clearInterval: clear,
  });
  const restore = () => {
    if (!inUse || globalThis.Date !== (FakeDate as unknown)) return;
    inUse = false;
    timers.clear();
    Object.assign(globalThis, Object.fromEntries(before));
  };
  return {
    now: () => now,
    get waiting() {
      return timers.size;
    },
    advance: async (milliseconds) => {
      const until = now + milliseconds;
      await settled();
      for (;;) {
        const next = [...timers].toSorted(([a, x], [b, y]) => x.at - y.at || a - b)[0];
        if (next === undefined || next[1].at > until) break;
        const [id, timer] = next;
        now = Math.max(now, timer.at);
        if (timer.every === undefined) timers.delete(id);
        else timer.at += timer.every;
        timer.run();
        await settled();
      }
      now = until;
    },
    restore,
    [Symbol.dispose]: restore,
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await setImmediate();
}

/** Programs use these members of a Node timer. */
function handleOf(id: number, close: () => void) {
  const handle = {
    ref: () => handle,
    unref: () => handle,
    hasRef: () => true,
    refresh: () => handle,
    close,
    [Symbol.toPrimitive]: () => id,
    [Symbol.dispose]: close,
  };
  return handle;
}
