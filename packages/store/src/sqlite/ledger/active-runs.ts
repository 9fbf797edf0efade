import type { Database } from "../database/database.ts";
import { LEASE_MS, MARGIN_MS, databaseNow, RENEWAL_MS, thisHolder } from "./holder.ts";

export interface ActiveRun {
  readonly number: number;
  readonly epoch: number;
  lose(): void;
}

/** Holds this process's runs. Renewing a single row proves that the holder is alive. */
export class ActiveRuns {
  readonly #database: Database;
  readonly #beside: () => void;
  readonly #runs = new Map<number, ActiveRun>();
  #holder: number | undefined;
  #endsAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, beside: () => void) {
    this.#database = database;
    this.#beside = beside;
  }

  /** The process may act until then, by the clock of `now`. */
  get endsAt(): number {
    return this.#endsAt;
  }

  holder(): number {
    this.renew();
    return this.#holder!;
  }

  add(run: ActiveRun): void {
    this.#runs.set(run.number, run);
    this.#timer ??= setInterval(() => this.#tick(), RENEWAL_MS).unref();
  }

  remove(run: ActiveRun): void {
    if (this.#runs.get(run.number) !== run) return;
    this.#runs.delete(run.number);
    if (this.#runs.size === 0) this.#stop();
  }

  /**
   * Renews the lease and drops runs that other processes took.
   *
   * @throws HaftError if the file cannot be written
   */
  renew(): void {
    // Other processes count from here; the transaction may wait.
    const at = databaseNow();
    const [holder, still] = this.#database.write(() => {
      const here = this.#renewRow(at) ?? this.#addRow(at);
      const sql = "SELECT number, epoch FROM runs WHERE holder = ?";
      return [here, this.#database.all(sql, here) as Pick<ActiveRun, "number" | "epoch">[]];
    });
    this.#holder = holder;
    this.#endsAt = at + LEASE_MS - MARGIN_MS;
    const epochs = new Map(still.map(({ number, epoch }) => [number, epoch]));
    for (const run of this.#runs.values()) if (epochs.get(run.number) !== run.epoch) run.lose();
  }

  #renewRow(at: number): number | undefined {
    const sql = "UPDATE holders SET renewed = ? WHERE id = ?";
    const isThere = this.#holder !== undefined && this.#database.run(sql, at, this.#holder) === 1;
    return isThere ? this.#holder : undefined;
  }

  /** If other processes considered this process dead, its earlier runs are lost. */
  #addRow(at: number): number {
    const sql = "INSERT INTO holders (process, renewed) VALUES (?, ?) RETURNING id";
    return (this.#database.get(sql, JSON.stringify(thisHolder()), at) as { id: number }).id;
  }

  release(): void {
    this.#stop();
    if (this.#holder !== undefined) this.#database.run("DELETE FROM holders WHERE id = ?", this.#holder);
    this.#holder = undefined;
  }

  #tick(): void {
    try {
      this.renew();
      this.#beside();
    } catch {
      // The next renewal or check reports the error.
    }
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
