import { HaftError, type Logger } from "@haft/core";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { storeError } from "../../errors.ts";
import type { Client } from "./load-client.ts";
import type { NatsNames } from "./names.ts";
import { isConflict, isMissing, toNatsError } from "./nats-error.ts";
import type { ServerClock } from "./server-clock.ts";

/** Milliseconds for an answer, and before that for a connection. */
export const ANSWER_MS = 2_000;

/** Interval of reading the server's time. */
const CLOCK_MS = 60_000;

export class Link {
  readonly servers: string;
  readonly client: Client;
  readonly names: NatsNames;
  readonly clock: ServerClock;
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly logger: Pick<Logger, "warn"> | undefined;
  runs!: KV;
  approvals!: KV;
  #connected = true;
  #closed = false;
  #waiting = new Set<() => void>();
  #refused: Error | undefined;

  constructor(given: Pick<Link, "servers" | "client" | "names" | "clock" | "nc" | "js" | "jsm" | "logger">) {
    this.servers = given.servers;
    this.client = given.client;
    this.names = given.names;
    this.clock = given.clock;
    this.nc = given.nc;
    this.js = given.js;
    this.jsm = given.jsm;
    this.logger = given.logger;
    void this.#follow();
  }

  /**
   * Sends a request. Rethrows conflicts and missing keys.
   *
   * @param doing error prefix, such as "The call could not be stored"
   * @throws HaftError `NATS_FAILED`, `NATS_FORBIDDEN`, `NATS_UNFIT`, `STORE_CLOSED`; within twice ANSWER_MS
   */
  async ask<T>(doing: string, request: () => Promise<T>): Promise<T> {
    try {
      await this.#connection(doing);
      return await request();
    } catch (thrown) {
      if (this.#closed) throw this.#isClosed(doing);
      if (HaftError.is(thrown) || isConflict(thrown) || isMissing(thrown)) throw thrown;
      throw toNatsError(doing, thrown, this.servers);
    }
  }

  async find<T>(doing: string, request: () => Promise<T>): Promise<T | undefined> {
    return await this.#askUnless(isMissing, doing, request);
  }

  async unlessConflict<T>(doing: string, request: () => Promise<T>): Promise<T | undefined> {
    return await this.#askUnless(isConflict, doing, request);
  }

  async #askUnless<T>(
    isAnswer: (thrown: unknown) => boolean,
    doing: string,
    request: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.ask(doing, request);
    } catch (thrown) {
      if (isAnswer(thrown)) return undefined;
      throw thrown;
    }
  }

  async serverNow(): Promise<number> {
    if (this.clock.age > CLOCK_MS) await this.#hearTime();
    return this.clock.now();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.nc.close();
  }

  #isClosed(doing: string): HaftError {
    return storeError("STORE_CLOSED", `${doing}: the store was closed.`);
  }

  /** Without a connection, a message would be sent after its timeout. */
  async #connection(doing: string): Promise<void> {
    if (this.#closed || this.nc.isClosed()) throw this.#isClosed(doing);
    if (this.#connected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ANSWER_MS);
    this.#waiting.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    if (this.#connected) return;
    if (this.#refused !== undefined) throw toNatsError(doing, this.#refused, this.servers);
    const message = `${doing} on the NATS server (${this.servers}): the connection is lost, and the server did not return within ${ANSWER_MS / 1000} s.`;
    throw storeError("NATS_FAILED", message);
  }

  /** Creating any consumer returns the time. */
  async #hearTime(): Promise<void> {
    const { AckPolicy, DeliverPolicy } = this.client.jetstream;
    const stream = `KV_${this.names.approvals}`;
    const sentAt = this.clock.ticks();
    const { created, name } = await this.ask("The time of the server could not be read", () =>
      this.jsm.consumers.add(stream, {
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.New,
        filter_subject: `$KV.${this.names.approvals}.time`,
        inactive_threshold: 1e9,
        mem_storage: true,
      }),
    );
    this.clock.sync(created, sentAt);
    await this.jsm.consumers.delete(stream, name).catch(() => {});
  }

  async #follow(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === "disconnect") {
        this.#connected = false;
        this.logger?.warn(
          `The connection to the NATS server (${this.servers}) is lost. Writes wait, then fail.`,
        );
      }
      if (status.type === "error" && !this.#connected) this.#refused = status.error;
      if (status.type === "reconnect") {
        this.#connected = true;
        this.#refused = undefined;
        this.logger?.warn(`The connection to the NATS server (${this.servers}) is restored.`);
        for (const go of this.#waiting) go();
      }
    }
    this.#connected = false;
  }
}
