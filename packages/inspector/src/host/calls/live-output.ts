import type { TextPage } from "../../wire/api.ts";
import { cutBytes } from "./cut-bytes.ts";

const KIB = 1024;
/** Per call. */
const MAX_BYTES = 1024 * KIB;
/** Includes ended calls. */
const MAX_CALLS = 64;
/** Per event; the page fetches the rest. */
const MAX_SENT = 16 * KIB;

interface StoredOutput {
  pieces: Buffer[];
  from: number;
  total: number;
  open: boolean;
}

export class LiveOutput {
  readonly #outputs = new Map<string, StoredOutput>();
  readonly #waiting = new Map<string, Set<() => void>>();

  add(key: string, text: string): { from: number; text: string; total: number } {
    const output = this.#of(key);
    const bytes = Buffer.from(text);
    output.pieces.push(bytes);
    output.total += bytes.length;
    while (output.total - output.from > MAX_BYTES && output.pieces.length > 1)
      output.from += output.pieces.shift()!.length;
    this.#wake(key);
    const start = Math.max(0, bytes.length - MAX_SENT);
    const { from, text: sent } = cutBytes(bytes, start, MAX_SENT + 4);
    return { from: output.total - bytes.length + from, text: sent, total: output.total };
  }

  end(key: string): void {
    const output = this.#outputs.get(key);
    if (output !== undefined) output.open = false;
    this.#wake(key);
  }

  async read(
    key: string,
    { from, max, wait }: { from: number; max: number; wait: number },
    signal: AbortSignal,
  ): Promise<TextPage | undefined> {
    const output = this.#outputs.get(key);
    if (output === undefined) return undefined;
    if (from >= output.total && output.open && wait > 0) await this.#next(key, wait, signal);
    const start = Math.max(from, output.from);
    const whole = Buffer.concat(output.pieces);
    const page = cutBytes(whole, Math.min(start, output.total) - output.from, max);
    return {
      text: page.text,
      from: page.from + output.from,
      next: page.next + output.from,
      total: output.total,
      dropped: Math.max(0, output.from - from),
      open: output.open,
      source: "live",
    };
  }

  #of(key: string): StoredOutput {
    let output = this.#outputs.get(key);
    if (output === undefined) {
      output = { pieces: [], from: 0, total: 0, open: true };
      this.#outputs.set(key, output);
      const [oldest] = [...this.#outputs].find(([, { open }]) => !open) ?? this.#outputs.keys();
      if (this.#outputs.size > MAX_CALLS && typeof oldest === "string" && oldest !== key)
        this.#outputs.delete(oldest);
    }
    return output;
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
