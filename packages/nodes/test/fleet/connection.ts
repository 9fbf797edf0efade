import { Queue, type Wire } from "../../../store/test/nats/fake-server/client.ts";
import type { FakeServer } from "../../../store/test/nats/fake-server/server.ts";
import type { FakeMessage } from "../../../store/test/nats/fake-server/streams.ts";
import { nodesError } from "../../src/errors.ts";
import type { BusMessage, MessageBus } from "../../src/index.ts";
import type { Machine } from "./machine.ts";
import type { Line, Network, Computer, Subscription } from "./network.ts";

/** Milliseconds a request waits, as the store's client has it. */
const ANSWER_MS = 2_000;

/** What a process has of the server: comes back by itself. All of it is done on its machine. */
class Connection {
  readonly network: Network;
  readonly #computer: Computer;
  readonly machine: Machine;
  readonly statuses: ((type: "disconnect" | "reconnect") => void)[] = [];
  /** Said to the server on each new line. */
  readonly #standing = new Set<(line: Line) => void>();
  readonly #sent = new WeakMap<() => void, (line: Line) => void>();
  line: Line | undefined;
  isUp = true;
  isClosed = false;

  constructor(network: Network, computer: Computer, machine: Machine) {
    this.network = network;
    this.#computer = computer;
    this.machine = machine;
    this.line = network.open(computer, machine, () => this.#lost());
    if (this.line === undefined) throw new Error("the server cannot be reached");
  }

  /** Reaches the server after all that was sent before, or never. */
  send(run: (line: Line) => void): void {
    const { line } = this;
    if (line === undefined) return void this.#left.push(run);
    const sent = () => run(line);
    this.#sent.set(sent, run);
    line.up.put(sent);
  }

  /** Says something on this line, and on each that follows it. Answers how to end that. */
  stand(say: (line: Line) => void): () => void {
    this.#standing.add(say);
    const { line } = this;
    line?.up.put(() => say(line));
    return () => void this.#standing.delete(say);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.line !== undefined) this.network.drop(this.line);
  }

  /** What the client had not sent when its line was lost. */
  #left: ((line: Line) => void)[] = [];

  #lost(): void {
    if (this.isClosed) return;
    const { line } = this;
    this.line = undefined;
    this.isUp = false;
    if (line !== undefined) {
      // Bytes that a program has handed on are gone, or are not.
      const unsent = line.up.take();
      if (this.network.world.chance(0.3)) this.#left = unsent.flatMap((run) => this.#sent.get(run) ?? []);
      this.network.drop(line);
    }
    for (const notify of this.statuses) notify("disconnect");
    this.#tryAgain();
  }

  #tryAgain(): void {
    setTimeout(
      () => {
        if (this.isClosed) return;
        const line = this.network.open(this.#computer, this.machine, () => this.#lost());
        if (line === undefined) return this.#tryAgain();
        this.line = line;
        for (const say of this.#standing) line.up.put(() => say(line));
        for (const run of this.#left.splice(0)) line.up.put(() => run(line));
        // It was let in, and the server answers.
        line.up.put(() =>
          line.deliver(() => {
            this.isUp = true;
            for (const notify of this.statuses) notify("reconnect");
          }),
        );
      },
      this.network.world.between(250, 350),
    );
  }
}

/** The wire of a store. */
export function createWire(network: Network, computer: Computer, machine: Machine): Wire & { kill(): void } {
  const connection = new Connection(network, computer, machine);
  const { jetstream } = network.server;
  return {
    ask<T>(request: (server: FakeServer) => T): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const late = () => reject(Object.assign(new Error("timeout"), { name: "TimeoutError" }));
      const timer = setTimeout(late, ANSWER_MS);
      connection.send((line) => {
        let answer: () => void;
        try {
          const value = request(jetstream);
          answer = () => resolve(value);
        } catch (thrown) {
          answer = () => reject(thrown);
        }
        line.deliver(() => {
          clearTimeout(timer);
          answer();
        });
      });
      return promise;
    },
    subscribe(begin, take) {
      let end: (() => void) | undefined;
      const say = (line: Line) => {
        end = begin(jetstream, (message: FakeMessage) => line.deliver(() => take(message)));
      };
      const unsay = connection.stand(say);
      return () => {
        unsay();
        connection.send(() => end?.());
      };
    },
    status() {
      const queue = new Queue<{ type: string }>();
      connection.statuses.push((type) => queue.push({ type }));
      return queue;
    },
    isClosed: () => connection.isClosed,
    close: async () => connection.close(),
    kill: () => connection.close(),
  };
}

/** The bus of a host or a node. */
export function createBus(
  network: Network,
  computer: Computer,
  machine: Machine,
): MessageBus & { kill(): void } {
  const connection = new Connection(network, computer, machine);
  const { server } = network;
  return {
    prefix: "haft",
    maxBytes: 512 * 1024,
    get connected() {
      return connection.isUp && !connection.isClosed;
    },
    publish(subject, bytes, reply) {
      if (!connection.isUp || connection.isClosed)
        throw nodesError("NODE_UNREACHABLE", "The NATS server is not connected now.");
      const message: BusMessage = { subject, bytes, ...(reply !== undefined && { reply }) };
      connection.send(() => server.route(message));
    },
    subscribe(subject, take) {
      let isOver = false;
      let current: Subscription | undefined;
      const say = (line: Line) => {
        current = { subject, line, take: (message) => void (isOver || take(message)) };
        server.subscribe(current);
      };
      const unsay = connection.stand(say);
      return () => {
        isOver = true;
        unsay();
        connection.send(() => current && server.unsubscribe(current));
      };
    },
    flush() {
      const { promise, resolve } = Promise.withResolvers<void>();
      connection.send((line) => line.deliver(resolve));
      return promise;
    },
    close: async () => connection.close(),
    kill: () => connection.close(),
  };
}
