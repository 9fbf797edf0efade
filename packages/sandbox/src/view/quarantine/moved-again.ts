const SOON_MS = 60_000;
const MOST = 10_000;

export class MovedAgain {
  readonly #moves = new Map<string, { count: number; at: number }>();
  readonly #again = new Map<string, number>();

  note(path: string): void {
    const now = Date.now();
    const before = this.#moves.get(path);
    const count = before !== undefined && now - before.at < SOON_MS ? before.count + 1 : 1;
    this.#moves.delete(path);
    this.#moves.set(path, { count, at: now });
    const [oldest] = this.#moves.keys();
    if (this.#moves.size > MOST) this.#moves.delete(oldest!);
    if (count > 1) this.#again.set(path, count);
  }

  /** What came back within a minute and was moved again, with how often it was moved, since this was last asked. */
  take(): [path: string, count: number][] {
    const all = [...this.#again];
    this.#again.clear();
    return all;
  }
}
