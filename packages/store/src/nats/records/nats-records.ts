import { getErrorMessage, invalidOptions } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { KvWatchEntry } from "@nats-io/kv";
import type { QueuedIterator } from "@nats-io/transport-node";
import { storeError } from "../../errors.ts";
import { Bucket, type BucketEntry } from "../approvals/bucket.ts";
import type { MessageAuthenticator } from "../approvals/message-authenticator.ts";
import type { Link } from "../connection/link.ts";
import type { RecordsOptions, SharedRecords } from "./shared-records.ts";

interface CachedRecord {
  readonly record: unknown;
  readonly seal?: string;
}

interface Known<T> {
  readonly revision: number;
  readonly record: T | Error;
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Uses the bucket of approvals, whose write permission covers records. */
export class NatsRecords<T> implements SharedRecords<T> {
  readonly #link: Link;
  readonly #options: RecordsOptions<T>;
  readonly #seals: MessageAuthenticator;
  readonly #bucket: Bucket<CachedRecord>;
  readonly #known = new Map<string, Known<T>>();
  #changes: QueuedIterator<KvWatchEntry> | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #failed: Error | undefined;
  /** The local copy has all earlier writes of others. */
  #isFresh = false;

  constructor(link: Link, seals: MessageAuthenticator, options: RecordsOptions<T>) {
    this.#link = link;
    this.#seals = seals;
    this.#options = options;
    this.#bucket = new Bucket(link, options.kind);
  }

  async open(): Promise<this> {
    requireKnownOptions<RecordsOptions<T>>("records", this.#options, {
      kind: true,
      parse: true,
      prevails: true,
    });
    const { kind } = this.#options;
    if (!/^[a-z0-9-]{1,32}$/.test(kind) || ["grant", "notice", "request"].includes(kind))
      throw invalidOptions(`${JSON.stringify(kind)} is not a valid kind of records.`);
    this.#changes = await this.#link.ask("Records could not be followed", () =>
      this.#link.approvals.watch({
        key: `${kind}.*`,
        include: this.#link.client.kv.KvWatchInclude.UpdatesOnly,
      }),
    );
    void this.#follow(this.#changes);
    await this.#refresh();
    void this.#watchLine();
    return this;
  }

  ids(): readonly string[] {
    return [...this.#known.keys()];
  }

  read(id: string): T | undefined {
    if (!this.#isFresh) {
      const message = `The decision about ${id} is not known: the NATS server (${this.#link.servers}) is unreachable.`;
      throw storeError("NATS_FAILED", message);
    }
    const record = this.#known.get(id)?.record;
    if (record instanceof Error) throw record;
    return record;
  }

  write(id: string, record: T): void {
    if (!ID.test(id)) throw invalidOptions(`${JSON.stringify(id.slice(0, 80))} is not an id.`);
    const revision = this.#known.get(id)?.revision ?? 0;
    this.#known.set(id, { revision, record });
    this.#queue(async () => {
      try {
        await this.#keep(id, record);
      } catch (thrown) {
        // An unstored revocation still applies here.
        if (this.#options.prevails?.(record) !== true) this.#forget(id);
        throw thrown;
      }
    });
  }

  remove(id: string): void {
    this.#known.delete(id);
    this.#queue(() => this.#bucket.change(id, () => null));
  }

  async settled(): Promise<void> {
    await this.#writing;
    const failed = this.#failed;
    this.#failed = undefined;
    if (failed !== undefined) throw failed;
  }

  close(): void {
    this.#isFresh = false;
    this.#changes?.stop();
  }

  /** Each write builds on the previous. */
  #queue(work: () => Promise<unknown>): void {
    this.#writing = this.#writing.then(work).catch((thrown: unknown) => {
      this.#failed = thrown as Error;
      this.#link.logger?.warn(
        `A record of the kind ${this.#options.kind} was not stored: ${getErrorMessage(thrown)}`,
      );
    });
  }

  #forget(id: string): void {
    this.#known.delete(id);
    this.#isFresh = false;
    void this.#again();
  }

  async #keep(id: string, record: T): Promise<void> {
    const key = `${this.#options.kind}.${id}`;
    const cached: CachedRecord = { record };
    const seal = this.#seals.sealRecord(key, cached.record);
    const text = JSON.stringify(seal === undefined ? cached : { ...cached, seal });
    const { prevails } = this.#options;
    for (;;) {
      const revision = await this.#bucket.put(id, text, this.#known.get(id)?.revision ?? 0);
      if (revision !== undefined) {
        this.#known.set(id, { revision, record });
        return;
      }
      const remote = await this.#bucket.get(id);
      if (prevails?.(record) === true) {
        this.#known.set(id, { revision: remote?.revision ?? 0, record });
        continue;
      }
      throw storeError("RECORD_CHANGED", `Another host changed ${id} first.`);
    }
  }

  async #follow(changes: QueuedIterator<KvWatchEntry>): Promise<void> {
    for await (const { key } of changes) {
      const id = key.slice(this.#options.kind.length + 1);
      await this.#reload(id).catch(() => (this.#isFresh = false));
    }
  }

  async #reload(id: string): Promise<void> {
    this.#take(id, await this.#bucket.get(id));
  }

  #take(id: string, entry: BucketEntry<CachedRecord> | undefined): void {
    const known = this.#known.get(id);
    if (entry === undefined) return void this.#known.delete(id);
    if (known !== undefined && known.revision >= entry.revision) return;
    this.#known.set(id, { revision: entry.revision, record: this.#recordOf(entry) });
  }

  #recordOf({ key, value }: BucketEntry<CachedRecord>): T | Error {
    const unfit = (why: string) =>
      storeError(
        "STORE_CORRUPT",
        `In the bucket ${this.#link.names.approvals} the key ${key} is not used: ${why}.`,
      );
    if (!this.#seals.isAuthenticRecord(key, value.record, value.seal))
      return unfit("it has no seal of `sealKeyFile`");
    try {
      return this.#options.parse(value.record);
    } catch (thrown) {
      return unfit(getErrorMessage(thrown));
    }
  }

  async #refresh(): Promise<void> {
    const entries = await this.#bucket.list();
    const there = new Set<string>();
    for (const entry of entries) {
      const id = entry.key.slice(this.#options.kind.length + 1);
      there.add(id);
      this.#take(id, entry);
    }
    for (const [id, { revision }] of this.#known) if (revision > 0 && !there.has(id)) this.#known.delete(id);
    this.#isFresh = true;
  }

  async #watchLine(): Promise<void> {
    for await (const { type } of this.#link.nc.status()) {
      if (type === "disconnect") this.#isFresh = false;
      if (type === "reconnect") await this.#again();
    }
    this.#isFresh = false;
  }

  async #again(): Promise<void> {
    for (let pauseMs = 100; !this.#link.nc.isClosed(); pauseMs = Math.min(5_000, pauseMs * 2)) {
      try {
        return await this.#refresh();
      } catch {
        await new Promise<void>((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
  }
}
