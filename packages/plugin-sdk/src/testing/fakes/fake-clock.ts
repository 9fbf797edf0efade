import { setImmediate } from "node:timers/promises";

/** A clock that stands still until a test moves it on. */
export interface FakeClock extends Disposable {
  /** Milliseconds since the epoch, as `Date.now()` says. */
  now(): number;
  /**
   * Moves on, and runs what is due on the way, each at its time, with all that follows from it at once. What waits for
   * files or modules is not waited for: let the tool say that it has begun before you move on.
   */
  advance(milliseconds: number): Promise<void>;
  /** Timers that wait. */
  readonly waiting: number;
  /** Puts the clock of the system back. What waits is forgotten. */
  restore(): void;
}

interface Timer {
  at: number;
  run: () => void;
  /** Of an interval. */
  every?: number;
}

const NAMES = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
/** Turns of the event loop after which nothing is under way any more that needs no time. */
const TURNS = 5;

let inUse = false;

/**
 * Takes the place of `Date`, `setTimeout`, `setInterval` and their ends, for everything in this process: also for deadlines
 * of the kernel. Not of `node:timers`, `performance` and `AbortSignal.timeout`.
 *
 * @param start what time it is; as it is by default
 * @throws Error where there is one already
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

/** What programs do with a timer of Node. */
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
