import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream";
import { ApiError, type PublishOptions, Stream, type FakeMessage } from "./streams.ts";

/** One message of a stream: by its place, the last of a subject, or the next of some from a place on. */
export interface MessageSelector {
  readonly seq?: number;
  readonly last_by_subj?: string;
  readonly next_by_subj?: string;
}

/** What a server with JetStream does, as far as the store asks it: in memory, each request at once or not at all. */
export class FakeServer {
  readonly streams = new Map<string, Stream>();
  readonly #now: () => number;
  readonly #watchers = new Set<{ stream: Stream; take: (message: FakeMessage) => void }>();

  /** @param now its clock: milliseconds since the epoch */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  addStream(config: Partial<StreamConfig> & { name: string }): Stream {
    const there = this.streams.get(config.name);
    if (there !== undefined) return there;
    const made = new Stream(config, this.#now);
    this.streams.set(config.name, made);
    return made;
  }

  stream(name: string): Stream {
    const found = this.streams.get(name);
    if (found === undefined) throw new ApiError(10059, "stream not found");
    return found;
  }

  publish(subject: string, data: Uint8Array, sent?: PublishOptions): number {
    const stream = [...this.streams.values()].find((each) => each.takes(subject));
    if (stream === undefined) throw Object.assign(new Error("no responders"), { name: "NoRespondersError" });
    const seq = stream.append(subject, data, sent);
    const message = stream.messages.get(seq)!;
    for (const watcher of this.#watchers) if (watcher.stream === stream) watcher.take(message);
    return seq;
  }

  message(
    name: string,
    { seq = 0, last_by_subj: last, next_by_subj: next }: MessageSelector,
  ): FakeMessage | null {
    const stream = this.stream(name);
    if (next !== undefined) return stream.next(next, seq) ?? null;
    return (last === undefined ? stream.messages.get(seq) : stream.last(last)) ?? null;
  }

  addReader(name: string, { deliver_policy, filter_subject = ">", headers_only }: Partial<ConsumerConfig>) {
    const which =
      deliver_policy === "last_per_subject" ? "last" : deliver_policy === "new" ? "new" : ("all" as const);
    const { name: reader, pending } = this.stream(name).read(filter_subject, which, headers_only);
    return { name: reader, created: new Date(this.#now()).toISOString(), num_pending: pending };
  }

  /** Hears of each message that comes into a stream, until that is ended. */
  watch(name: string, take: (message: FakeMessage) => void): () => void {
    const watcher = { stream: this.stream(name), take };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** It was ended and started: what it had in memory alone is gone. */
  restart(): void {
    this.#watchers.clear();
    for (const stream of this.streams.values()) stream.readers.clear();
  }
}
