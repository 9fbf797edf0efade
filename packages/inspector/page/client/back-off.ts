const [FIRST_MS, LAST_MS] = [250, 10_000];

/** Doubles a partly random delay. */
export class BackOff {
  #tries = 0;

  /** Milliseconds. */
  next(): number {
    const most = Math.min(LAST_MS, FIRST_MS * 2 ** this.#tries++);
    return most / 2 + Math.random() * (most / 2);
  }

  reset(): void {
    this.#tries = 0;
  }
}

/** Ends early on abort or a restored network. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
