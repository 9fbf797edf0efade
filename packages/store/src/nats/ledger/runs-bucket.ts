import type { RunRecord } from "@haft/core/internal";
import type { Link } from "../connection/link.ts";
import { sessionToken } from "../connection/names.ts";
import { unreadableRecordError } from "../connection/nats-error.ts";
import { readMessages } from "../connection/read-messages.ts";

export interface StoredRun {
  readonly run: RunRecord;
  /** Absent for a free run. */
  readonly holder?: string;
  /** Highest sequence of removed calls. */
  readonly trimmed?: number;
  /** Its creator still checks for a concurrent run, without calls. */
  readonly isNew?: true;
}

export interface RunEntry extends StoredRun {
  /** Changes with each renewal; writes name it. */
  readonly revision: number;
  readonly changedAt: number;
}

export class RunsBucket {
  readonly #link: Link;
  readonly #broken = new Set<string>();

  constructor(link: Link) {
    this.#link = link;
  }

  async find({
    sessionKey,
    runId = "*",
  }: {
    sessionKey?: string | undefined;
    runId?: string | undefined;
  }): Promise<RunEntry[]> {
    if (runId !== "*" && !/^[A-Za-z0-9]{1,64}$/.test(runId)) return [];
    const { names } = this.#link;
    const session = sessionKey === undefined ? "*" : sessionToken(sessionKey);
    const filter = `$KV.${names.runs}.${names.run(session, runId)}`;
    const messages = await readMessages(this.#link, `KV_${names.runs}`, filter, { last: true });
    if (sessionKey === undefined && runId === "*") this.#broken.clear();
    return messages
      .filter(({ data }) => data.length > 0)
      .flatMap(({ data, seq, at, subject }) => {
        const stored = read(data);
        if (stored !== undefined) return [{ ...stored, revision: seq, changedAt: at }];
        this.#broken.add(subject.split(".").slice(2).join("."));
        return [];
      });
  }

  async get(run: Pick<RunRecord, "sessionKey" | "runId">): Promise<RunEntry | undefined> {
    const found = await this.#link.find("The run could not be read", () =>
      this.#link.runs.get(this.getKey(run)),
    );
    if (found?.operation !== "PUT") return undefined;
    const stored = read(found.value);
    if (stored === undefined)
      throw unreadableRecordError(`the key ${found.key} of the bucket ${this.#link.names.runs}`);
    return { ...stored, revision: found.revision, changedAt: found.created.getTime() };
  }

  /** Reads from the stream's leader, since replicas may lag. */
  async listLatest(sessionKey: string): Promise<RunEntry[]> {
    const link = this.#link;
    const { names } = link;
    const filter = `$KV.${names.runs}.${names.run(sessionToken(sessionKey), "*")}`;
    const found: RunEntry[] = [];
    for (let seq = 1; ;) {
      // The client's types allow this only for direct reads from replicas.
      const which = { seq, next_by_subj: filter };
      const message = await link.ask("The runs could not be read", () =>
        link.jsm.streams.getMessage(`KV_${names.runs}`, which),
      );
      if (message === null) return found;
      const stored = read(message.data);
      if (stored !== undefined)
        found.push({ ...stored, revision: message.seq, changedAt: message.time.getTime() });
      seq = message.seq + 1;
    }
  }

  get broken(): readonly string[] {
    return [...this.#broken];
  }

  getKey({ sessionKey, runId }: Pick<RunRecord, "sessionKey" | "runId">): string {
    return this.#link.names.run(sessionToken(sessionKey), runId);
  }

  /** Replaces revision `seen` (0: none). Returns the new revision, or `undefined` after a conflict. */
  async put(stored: StoredRun, seen: number): Promise<number | undefined> {
    const text = JSON.stringify(stored);
    return await this.#link.unlessConflict("The run could not be stored", () =>
      this.#link.runs.put(this.getKey(stored.run), text, { previousSeq: seen }),
    );
  }

  async remove(run: RunRecord, seen: number): Promise<boolean> {
    const key = this.getKey(run);
    const removed = await this.#link.unlessConflict("The run could not be stored", async () => {
      await this.#link.runs.delete(key, { previousSeq: seen });
      return true;
    });
    return removed ?? false;
  }

  async forget(run: RunRecord, seen: number): Promise<void> {
    if (await this.remove(run, seen)) await this.purge(run);
  }

  async purge(run: RunRecord): Promise<void> {
    const { runs } = this.#link.names;
    await this.#link.ask("The run could not be removed", () =>
      this.#link.jsm.streams.purge(`KV_${runs}`, { filter: `$KV.${runs}.${this.getKey(run)}` }),
    );
  }
}

function read(data: Uint8Array): StoredRun | undefined {
  try {
    const stored = JSON.parse(new TextDecoder().decode(data)) as Partial<StoredRun> | null;
    const { runId, sessionKey, epoch } = stored?.run ?? {};
    const isRun = typeof runId === "string" && typeof sessionKey === "string" && typeof epoch === "number";
    return isRun ? (stored as StoredRun) : undefined;
  } catch {
    return undefined;
  }
}
