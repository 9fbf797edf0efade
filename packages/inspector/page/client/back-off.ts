const [FIRST_MS, LAST_MS] = [250, 10_000];

/** How long to wait before each next try: twice as long each time, and not the same for every tab. */
export class BackOff {
  #tries = 0;

  /** Milliseconds until the next try. */
  next(): number {
    const most = Math.min(LAST_MS, FIRST_MS * 2 ** this.#tries++);
    return most / 2 + Math.random() * (most / 2);
  }

  /** It worked: the next trouble is a first one. */
  reset(): void {
    this.#tries = 0;
  }
}

/** Waits; earlier when it is aborted, or when the machine is back on its network. */
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
