import { LONGEST_TIMER_MS } from "../defaults.ts";

export class Waiting {
  readonly #waiting = new Set<() => void>();

  wake(): void {
    for (const look of this.#waiting) look();
  }

  async until(done: () => boolean, withinMs: number, signal?: AbortSignal): Promise<void> {
    if (done() || withinMs <= 0 || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const look = (): void => {
        if (done()) finish();
      };
      const timer = withinMs <= LONGEST_TIMER_MS ? setTimeout(finish, withinMs) : undefined;
      this.#waiting.add(look);
      signal?.addEventListener("abort", finish);
    });
  }
}
