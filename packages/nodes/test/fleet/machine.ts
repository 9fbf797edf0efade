import { currentMachine, type World } from "./world.ts";

/** The clock of a computer. */
export interface Hardware {
  /** How fast it goes: 1.01 gains a hundredth. */
  readonly rate: number;
  /** Milliseconds since the epoch when the world began. */
  date: number;
  /** Milliseconds since it was started, when the world began. */
  readonly uptime: number;
}

/** A process on a computer, with the timers and the clocks that its code sees. */
export class Machine {
  readonly name: string;
  readonly world: World;
  readonly hardware: Hardware;
  isAlive = true;
  /** `stopped`: its process is; `suspended`: the whole computer, with the clock by which timers go. */
  asleep: "stopped" | "suspended" | undefined;
  readonly #bornAt: number;
  #asleepAt = 0;
  /** Milliseconds of the world that its timers have not seen. */
  #lost = 0;
  #missed: (() => void)[] = [];

  constructor(world: World, name: string, hardware: Hardware) {
    this.world = world;
    this.name = name;
    this.hardware = hardware;
    this.#bornAt = world.now;
  }

  /** `performance.now`: stands still while the computer sleeps. */
  monotonic(): number {
    const until = this.asleep === "suspended" ? this.#asleepAt : this.world.now;
    return (until - this.#bornAt - this.#lost) * this.hardware.rate;
  }

  /** Milliseconds that `os.uptime` counts, sleep too. */
  uptime(): number {
    return this.hardware.uptime + this.world.now * this.hardware.rate;
  }

  /** `Date.now`. */
  date(): number {
    return Math.floor(this.hardware.date + this.world.now * this.hardware.rate);
  }

  /** Runs code of it now, or once it is awake; never where its process has ended. */
  do(run: () => void): void {
    if (!this.isAlive) return;
    if (this.asleep !== undefined) this.#missed.push(() => this.do(run));
    else currentMachine.run(this, run);
  }

  setTimer(run: () => void, milliseconds: number, again: boolean): Timer {
    return new Timer(this, run, Math.max(1, Number.isFinite(milliseconds) ? milliseconds : 1), again);
  }

  kill(): void {
    this.isAlive = false;
    this.#missed = [];
  }

  sleep(how: "stopped" | "suspended"): void {
    if (!this.isAlive || this.asleep !== undefined) return;
    this.asleep = how;
    this.#asleepAt = this.world.now;
  }

  /** What it missed happens now, all of it: messages and timers in an order that nobody promises. */
  wake(): void {
    if (!this.isAlive || this.asleep === undefined) return;
    if (this.asleep === "suspended") this.#lost += this.world.now - this.#asleepAt;
    this.asleep = undefined;
    const missed = this.#missed;
    this.#missed = [];
    for (const run of missed) this.world.schedule(0, run);
  }
}

/** A timer of a machine: it fires when its process is awake, and its clock says so. */
export class Timer {
  readonly #machine: Machine;
  readonly #run: () => void;
  readonly #milliseconds: number;
  readonly #again: boolean;
  #due = 0;
  #waits: { run: (() => void) | undefined } | undefined;

  constructor(machine: Machine, run: () => void, milliseconds: number, again: boolean) {
    this.#machine = machine;
    this.#run = run;
    this.#milliseconds = milliseconds;
    this.#again = again;
    this.refresh();
  }

  refresh(): this {
    this.stop();
    this.#due = this.#machine.monotonic() + this.#milliseconds;
    this.#wait();
    return this;
  }

  stop(): void {
    if (this.#waits !== undefined) this.#waits.run = undefined;
    this.#waits = undefined;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #wait(): void {
    const { world, hardware } = this.#machine;
    const left = (this.#due - this.#machine.monotonic()) / hardware.rate;
    const waits = world.schedule(left, () => this.#machine.do(() => this.#waits === waits && this.#fire()));
    this.#waits = waits;
  }

  #fire(): void {
    // The computer slept meanwhile, and its clock with it.
    if (this.#machine.monotonic() < this.#due - 0.001) return this.#wait();
    this.#waits = undefined;
    if (this.#again) this.refresh();
    this.#run();
  }
}
