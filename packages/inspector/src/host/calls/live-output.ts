import type { TextPage } from "../../wire/api.ts";
import { cutBytes } from "./cut-bytes.ts";

const KIB = 1024;
/** Per call. */
const MAX_BYTES = 1024 * KIB;
/** Includes ended calls. */
const MAX_CALLS = 64;
/** Per event. The page fetches the rest. */
const MAX_SENT = 16 * KIB;

interface Kept {
  pieces: Buffer[];
  from: number;
  total: number;
  open: boolean;
}

export class LiveOutput {
  readonly #kept = new Map<string, Kept>();
  readonly #waiting = new Map<string, Set<() => void>>();

  add(key: string, text: string): { from: number; text: string; total: number } {
    const kept = this.#of(key);
    const bytes = Buffer.from(text);
    kept.pieces.push(bytes);
    kept.total += bytes.length;
    while (kept.total - kept.from > MAX_BYTES && kept.pieces.length > 1)
      kept.from += kept.pieces.shift()!.length;
    this.#wake(key);
    const start = Math.max(0, bytes.length - MAX_SENT);
    const { from, text: sent } = cutBytes(bytes, start, MAX_SENT + 4);
    return { from: kept.total - bytes.length + from, text: sent, total: kept.total };
  }

  end(key: string): void {
    const kept = this.#kept.get(key);
    if (kept !== undefined) kept.open = false;
    this.#wake(key);
  }

  async read(
    key: string,
    { from, max, wait }: { from: number; max: number; wait: number },
    signal: AbortSignal,
  ): Promise<TextPage | undefined> {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (from >= kept.total && kept.open && wait > 0) await this.#next(key, wait, signal);
    const start = Math.max(from, kept.from);
    const whole = Buffer.concat(kept.pieces);
    const page = cutBytes(whole, Math.min(start, kept.total) - kept.from, max);
    return {
      text: page.text,
      from: page.from + kept.from,
      next: page.next + kept.from,
      total: kept.total,
      dropped: Math.max(0, kept.from - from),
      open: kept.open,
      source: "live",
    };
  }

  #of(key: string): Kept {
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = { pieces: [], from: 0, total: 0, open: true };
      this.#kept.set(key, kept);
      const [oldest] = [...this.#kept].find(([, { open }]) => !open) ?? this.#kept.keys();
      if (this.#kept.size > MAX_CALLS && typeof oldest === "string" && oldest !== key)
        this.#kept.delete(oldest);
    }
    return kept;
  }

  #next(key: string, wait: number, signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, AbortSignal.timeout(wait)]);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const wake = () => {
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(key);
        over.removeEventListener("abort", wake);
        resolve();
      };
      waiting.add(wake);
      over.addEventListener("abort", wake, { once: true });
      if (over.aborted) wake();
    });
  }

  #wake(key: string): void {
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }
}
