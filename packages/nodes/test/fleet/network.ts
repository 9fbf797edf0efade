import { FakeServer } from "../../../store/test/nats/fake-server/server.ts";
import type { BusMessage } from "../../src/index.ts";
import type { Hardware, Machine } from "./machine.ts";
import type { World } from "./world.ts";

/** A computer, with the process that runs on it now. */
export interface Computer {
  readonly name: string;
  readonly hardware: Hardware;
  /** Nothing comes to it and nothing from it, and nobody is told. */
  isCut: boolean;
  machine: Machine | undefined;
}

/** What becomes of messages between hosts and nodes, each number a chance. */
export interface MessageFaults {
  readonly lost: number;
  readonly doubled: number;
  readonly delayed: number;
}

/** One way of a line, in order: what is sent comes after a while, or once the line is mended. */
class Pipe {
  readonly #world: World;
  readonly #flows: () => boolean;
  #waiting: { readonly ready: number; readonly run: () => void }[] = [];
  #next = 0;
  #isAwaited = false;

  constructor(world: World, flows: () => boolean) {
    this.#world = world;
    this.#flows = flows;
  }

  put(run: () => void): void {
    this.#waiting.push({ ready: this.#world.now + latency(this.#world), run });
    this.look();
  }

  /** What has not come yet, and never will. */
  take(): (() => void)[] {
    const left = this.#waiting.slice(this.#next).map(({ run }) => run);
    this.#waiting = [];
    this.#next = 0;
    return left;
  }

  look(): void {
    const first = this.#waiting[this.#next];
    if (first === undefined || this.#isAwaited || !this.#flows()) return;
    this.#isAwaited = true;
    this.#world.schedule(first.ready - this.#world.now, () => {
      this.#isAwaited = false;
      if (this.#flows()) this.#pass();
      this.look();
    });
  }

  #pass(): void {
    const first = this.#waiting[this.#next];
    if (first === undefined) return;
    this.#next += 1;
    if (this.#next > 100 && this.#next * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    first.run();
  }
}

function latency(world: World): number {
  return world.chance(0.02) ? world.between(20, 200) : world.between(0.1, 3);
}

/** A connection of a process to the server, while it holds. */
export class Line {
  readonly machine: Machine;
  readonly up: Pipe;
  readonly down: Pipe;
  isOpen = true;

  constructor(network: Network, computer: Computer, machine: Machine) {
    this.machine = machine;
    this.up = new Pipe(network.world, () => this.isOpen && !computer.isCut && network.server.works);
    this.down = new Pipe(network.world, () => this.isOpen && !computer.isCut);
  }

  /** Has the process do something once it hears of it. */
  deliver(run: () => void): void {
    this.down.put(() => this.machine.do(run));
  }
}

export interface Subscription {
  readonly subject: string;
  readonly line: Line;
  readonly take: (message: BusMessage) => void;
}

/** The server: what it keeps survives it, and what is under way does not. */
export class Server {
  readonly jetstream: FakeServer;
  readonly #world: World;
  readonly #weather: MessageFaults;
  readonly #subscriptions = new Map<string, Set<Subscription>>();
  isUp = true;
  isStalled = false;
  /** Messages that came twice. */
  doubled = 0;
  lost = 0;

  constructor(world: World, weather: MessageFaults) {
    this.#world = world;
    this.#weather = weather;
    this.jetstream = new FakeServer(() => Math.floor(1_800_000_000_000 + world.now));
  }

  get works(): boolean {
    return this.isUp && !this.isStalled;
  }

  subscribe(one: Subscription): void {
    const all = this.#subscriptions.get(one.subject) ?? new Set();
    this.#subscriptions.set(one.subject, all.add(one));
  }

  unsubscribe(one: Subscription): void {
    const all = this.#subscriptions.get(one.subject);
    all?.delete(one);
    if (all?.size === 0) this.#subscriptions.delete(one.subject);
  }

  /** Of a connection that is known to be gone. */
  forget(line: Line): void {
    for (const all of this.#subscriptions.values())
      for (const one of all) if (one.line === line) this.unsubscribe(one);
  }

  route(message: BusMessage): void {
    const { subject, reply } = message;
    const any = `${subject.slice(0, subject.lastIndexOf("."))}.*`;
    const found = [...(this.#subscriptions.get(subject) ?? []), ...(this.#subscriptions.get(any) ?? [])];
    for (const one of found) this.#send(one, message);
    if (found.length === 0 && reply !== undefined)
      this.route({ subject: reply, bytes: new Uint8Array(), noResponders: true });
  }

  restart(): void {
    this.#subscriptions.clear();
    this.jetstream.restart();
  }

  #send({ line, take }: Subscription, message: BusMessage): void {
    const { lost, doubled, delayed } = this.#weather;
    if (this.#world.chance(lost)) {
      this.lost += 1;
      return;
    }
    const out = () => this.#world.between(10, 6_000);
    // By another way than the line's own order.
    const astray = () =>
      this.#world.schedule(out(), () => line.isOpen && line.machine.do(() => take(message)));
    if (this.#world.chance(delayed)) return void astray();
    line.deliver(() => take(message));
    if (!this.#world.chance(doubled)) return;
    this.doubled += 1;
    astray();
  }
}

/** Everything between the machines. */
export class Network {
  readonly world: World;
  readonly server: Server;
  readonly lines = new Map<Line, { place: Computer; onLost: () => void }>();

  constructor(world: World, weather: MessageFaults) {
    this.world = world;
    this.server = new Server(world, weather);
  }

  /** A new line, if there can be one now. @param onLost once the process notices that it is gone */
  open(computer: Computer, machine: Machine, onLost: () => void): Line | undefined {
    if (computer.isCut || !this.server.isUp) return undefined;
    const line = new Line(this, computer, machine);
    this.lines.set(line, { place: computer, onLost });
    return line;
  }

  /** Its process knows that it is gone, or is gone itself. The server learns of it when it can. */
  drop(line: Line): void {
    const { place: computer } = this.lines.get(line) ?? {};
    line.isOpen = false;
    const learn = () => {
      this.lines.delete(line);
      this.server.forget(line);
    };
    if (computer === undefined) return;
    if (computer.isCut) this.world.schedule(this.world.between(60_000, 240_000), learn);
    else this.world.schedule(this.world.between(0.1, 50), learn);
  }

  cut(computer: Computer): void {
    if (computer.isCut) return;
    computer.isCut = true;
    for (const [line, { place: of, onLost }] of this.lines) {
      if (of !== computer) continue;
      // It notices that nobody answers its pings.
      this.world.schedule(this.world.between(10_000, 15_000), () => {
        if (line.isOpen && computer.isCut) line.machine.do(() => line.isOpen && onLost());
      });
    }
  }

  mend(computer: Computer): void {
    if (!computer.isCut) return;
    computer.isCut = false;
    this.flush();
  }

  /** All lines end; what was under way is gone. */
  killServer(): void {
    this.server.isUp = false;
    this.server.restart();
    for (const [line, { place: computer, onLost }] of this.lines) {
      line.isOpen = false;
      this.lines.delete(line);
      const after = computer.isCut ? this.world.between(10_000, 15_000) : this.world.between(0.1, 5);
      this.world.schedule(after, () => line.machine.do(onLost));
    }
  }

  startServer(): void {
    this.server.isUp = true;
  }

  stall(is: boolean): void {
    this.server.isStalled = is;
    if (!is) this.flush();
  }

  flush(): void {
    for (const line of this.lines.keys()) {
      line.up.look();
      line.down.look();
    }
  }
}
