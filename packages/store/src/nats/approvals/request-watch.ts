import type { KvWatchEntry } from "@nats-io/kv";
import type { QueuedIterator } from "@nats-io/transport-node";
import type { Link } from "../connection/link.ts";

export class RequestWatch {
  readonly #link: Link;
  readonly #listeners = new Set<() => void>();
  #changes: Promise<QueuedIterator<KvWatchEntry> | undefined> | undefined;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Calls `look` first and after each change. Returns a function that stops. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.again();
    void this.#changes?.then(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      void this.#stop(this.#changes);
      this.#changes = undefined;
    };
  }

  again(): void {
    if (this.#listeners.size > 0) this.#changes ??= this.#start();
  }

  async #start(): Promise<QueuedIterator<KvWatchEntry> | undefined> {
    const { UpdatesOnly } = this.#link.client.kv.KvWatchInclude;
    try {
      const changes = await this.#link.ask("Requests could not be watched", () =>
        this.#link.approvals.watch({ key: "request.*", include: UpdatesOnly }),
      );
      void this.#follow(changes);
      return changes;
    } catch {
      // The listener also polls, and retries this.
      this.#changes = undefined;
      return undefined;
    }
  }

  async #follow(changes: QueuedIterator<KvWatchEntry>): Promise<void> {
    for await (const _ of changes) for (const listener of this.#listeners) listener();
  }

  async #stop(changing: Promise<QueuedIterator<KvWatchEntry> | undefined> | undefined): Promise<void> {
    (await changing)?.stop();
  }
}
