import type { ConsumerConfig, JetStreamClient, JetStreamManager, StreamConfig } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Client } from "../../../src/nats/connection/load-client.ts";
import type { FakeServer, MessageSelector } from "./server.ts";
import type { FakeMessage } from "./streams.ts";

/** How a client reaches its server. */
export interface Wire {
  /** One request, and its answer or its error. */
  ask<T>(request: (server: FakeServer) => T): Promise<T>;
  /** Hears what the server sends by itself, until that is ended. */
  subscribe(
    begin: (server: FakeServer, send: (message: FakeMessage) => void) => () => void,
    take: (message: FakeMessage) => void,
  ): () => void;
  /** What becomes of the connection. */
  status(): AsyncIterable<{ type: string }>;
  isClosed(): boolean;
  close(): Promise<void>;
}

const MOST_PAYLOAD = 1024 * 1024;

/** All of the NATS client that the store uses, on a wire. */
export function createFakeClient(wire: Wire): {
  client: Client;
  nc: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
} {
  const jsm = managerOver(wire);
  const js = {
    publish: (subject: string, data: Uint8Array, options: PublishOptions = {}) =>
      wire.ask((server) => {
        const { headers, expect } = options;
        return { seq: server.publish(subject, data, { ...(headers && { headers }), ...expect }) };
      }),
    consumers: {
      get: async (stream: string, name: string) => ({
        fetch: (options: { max_messages: number; expires: number }) => fetchFrom(wire, stream, name, options),
      }),
    },
  };
  const nc = {
    info: { max_payload: MOST_PAYLOAD },
    status: () => wire.status(),
    isClosed: () => wire.isClosed(),
    close: () => wire.close(),
  };
  class Kvm {
    open = async (bucket: string) => bucketOver(wire, bucket);
  }
  const client = {
    transport: { headers: () => new Map<string, string>() },
    jetstream: {
      AckPolicy: { None: "none" },
      DeliverPolicy: { All: "all", LastPerSubject: "last_per_subject", New: "new" },
      DiscardPolicy: { New: "new" },
      RetentionPolicy: { Limits: "limits" },
      StorageType: { File: "file" },
    },
    kv: { Kvm, KvWatchInclude: { UpdatesOnly: "updates" } },
  };
  return { client, nc, js, jsm } as never;
}

interface PublishOptions {
  readonly headers?: ReadonlyMap<string, string>;
  readonly expect?: { readonly lastSubjectSequence: number };
}

function managerOver(wire: Wire) {
  const streams = {
    add: (config: Partial<StreamConfig> & { name: string }) =>
      wire.ask((server) => ({ config: server.addStream(config).config })),
    info: (name: string, options: { subjects_filter?: string } = {}) =>
      wire.ask((server) => {
        const stream = server.stream(name);
        return { config: stream.config, state: stream.state(options.subjects_filter) };
      }),
    purge: (name: string, { filter, seq }: { filter: string; seq?: number }) =>
      wire.ask((server) => ({ purged: server.stream(name).purge(filter, seq) })),
    getMessage: (name: string, which: MessageSelector) =>
      wire.ask((server) => {
        const found = server.message(name, which);
        if (found === null) return null;
        const { headers, time, ...message } = found;
        return { ...message, time: new Date(time), header: { get: (key: string) => headers.get(key) ?? "" } };
      }),
  };
  const consumers = {
    add: (stream: string, config: Partial<ConsumerConfig>) =>
      wire.ask((server) => server.addReader(stream, config)),
    delete: (stream: string, name: string) =>
      wire.ask((server) => server.stream(stream).readers.delete(name)),
  };
  return { streams, consumers };
}

async function* fetchFrom(
  wire: Wire,
  stream: string,
  name: string,
  { max_messages: most, expires }: { max_messages: number; expires: number },
) {
  let left = most;
  const next = () => wire.ask((server) => server.stream(stream).fetch(name, left)).catch(() => []);
  for (let tries = 0; tries < 2 && left > 0; tries++) {
    // What is not there yet is waited for.
    if (tries > 0) await new Promise((resolve) => setTimeout(resolve, expires));
    for (const { subject, seq, data, headers, time } of await next()) {
      left -= 1;
      yield { subject, seq, data, headers, info: { timestampNanos: time * 1e6 } };
    }
  }
}

const OPERATION = "KV-Operation";

function bucketOver(wire: Wire, bucket: string): KV {
  const name = `KV_${bucket}`;
  const subjectOf = (key: string) => `$KV.${bucket}.${key}`;
  const entryOf = ({ subject, data, headers, seq, time }: FakeMessage) => ({
    bucket,
    key: subject.slice(subjectOf("").length),
    value: data,
    revision: seq,
    created: new Date(time),
    operation: headers.get(OPERATION) ?? "PUT",
  });
  const put = (key: string, value: string, previousSeq?: number) =>
    wire.ask((server) =>
      server.publish(
        subjectOf(key),
        Buffer.from(value),
        previousSeq === undefined ? {} : { lastSubjectSequence: previousSeq },
      ),
    );
  const get = async (key: string) => {
    const found = await wire.ask((server) => server.message(name, { last_by_subj: subjectOf(key) }));
    return found && entryOf(found);
  };
  const made = {
    get,
    put: (key: string, value: string, { previousSeq }: { previousSeq?: number } = {}) =>
      put(key, value, previousSeq),
    async update(key: string, value: string, revision: number) {
      if (revision <= 0) throw new Error("the revision has to be above 0");
      return await put(key, value, revision);
    },
    async create(key: string, value: string) {
      try {
        return await put(key, value, 0);
      } catch (thrown) {
        // A key that was removed leaves a mark.
        const found = await get(key);
        if (found === null || found.operation === "PUT") throw thrown;
        return await put(key, value, found.revision);
      }
    },
    delete: (key: string, { previousSeq }: { previousSeq?: number } = {}) =>
      wire.ask(
        (server) =>
          void server.publish(subjectOf(key), new Uint8Array(), {
            headers: new Map([[OPERATION, "DEL"]]),
            ...(previousSeq ? { lastSubjectSequence: previousSeq } : {}),
          }),
      ),
    async watch({ key = ">", include }: { key?: string; include?: string } = {}) {
      const changes = new Queue<ReturnType<typeof entryOf>>();
      const isFit = fitsKey(key);
      const take = (message: FakeMessage) => {
        const entry = entryOf(message);
        if (isFit(entry.key)) changes.push(entry);
      };
      const stop = wire.subscribe((server, send) => server.watch(name, send), take);
      const known = await wire.ask((server) => {
        const stream = server.stream(name);
        if (include === "updates") return [];
        if (!/[*>]/.test(key))
          return [stream.last(subjectOf(key))].filter((message) => message !== undefined);
        return [...stream.messages.values()].filter(({ subject }) =>
          isFit(subject.slice(subjectOf("").length)),
        );
      });
      for (const message of known) take(message);
      changes.onStop = stop;
      return changes;
    },
  };
  return made as never;
}

function fitsKey(filter: string): (key: string) => boolean {
  if (!/[*>]/.test(filter)) return (key) => key === filter;
  const words = filter.split(".");
  return (key) => {
    const parts = key.split(".");
    if (words.at(-1) !== ">" && parts.length !== words.length) return false;
    return words.every((word, at) => word === ">" || word === "*" || word === parts[at]);
  };
}

/** What comes, one after the other, until it is stopped. */
export class Queue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;
  onStop: (() => void) | undefined;

  push(one: T): void {
    this.#waiting.push(one);
    this.#wake?.();
  }

  stop(): void {
    this.#isOver = true;
    this.onStop?.();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift()!;
      if (this.#isOver) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
