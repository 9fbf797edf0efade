import type { McpConversation } from "../conversation.ts";

export interface OpenHttpSession {
  readonly conversation: McpConversation;
  /** Unanswered requests, including streams. */
  active: number;
  lastUsed: number;
  close(): Promise<void>;
}

/** Marks the session as in use until the answer's sender releases it. */
export function acquireSession(session: OpenHttpSession): void {
  session.active++;
  session.lastUsed = performance.now();
}

export function releaseSession(session: OpenHttpSession): void {
  session.active--;
  session.lastUsed = performance.now();
}

export class HttpSessions {
  readonly #open = new Map<string, OpenHttpSession>();
  readonly #most: number;
  #reserved = 0;
  #taking: Promise<unknown> = Promise.resolve();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): OpenHttpSession | undefined {
    return this.#open.get(key);
  }

  all(): OpenHttpSession[] {
    return [...this.#open.values()];
  }

  /**
   * Reserves a place; if all are taken, it closes the longest idle session without work or unfetched results.
   *
   * @returns releases the place after use; `undefined` if no place is free
   */
  async reserve(): Promise<(() => void) | undefined> {
    // Two requests must not take the same place.
    const taken = this.#taking.then(() => this.#makeRoom());
    this.#taking = taken;
    if (!(await taken)) return undefined;
    return () => void this.#reserved--;
  }

  async #makeRoom(): Promise<boolean> {
    if (this.#open.size + this.#reserved >= this.#most && !(await this.#closeIdlest())) return false;
    this.#reserved++;
    return true;
  }

  async #closeIdlest(): Promise<boolean> {
    const idle = [...this.#open].filter(([, { active }]) => active === 0);
    for (const [key, session] of idle.toSorted(([, one], [, other]) => one.lastUsed - other.lastUsed)) {
      const { lastUsed } = session;
      if (await session.conversation.isBusy()) continue;
      if (session.active > 0 || session.lastUsed !== lastUsed || this.#open.get(key) !== session) continue;
      void this.close(key);
      return true;
    }
    return false;
  }

  add(key: string, session: OpenHttpSession): void {
    this.#open.set(key, session);
  }

  async close(key: string): Promise<void> {
    const session = this.#open.get(key);
    this.#open.delete(key);
    await session?.close();
  }

  async closeIdle(since: number): Promise<void> {
    const idle = [...this.#open].filter(
      ([, { active, lastUsed, conversation }]) =>
        active === 0 && conversation.running === 0 && lastUsed < since,
    );
    await Promise.all(idle.map(([key]) => this.close(key)));
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.close(key)));
  }
}
