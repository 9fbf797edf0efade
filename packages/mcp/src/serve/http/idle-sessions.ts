import type { McpConversation } from "../conversation.ts";

export interface OpenHttpSession {
  readonly conversation: McpConversation;
  /** Requests that are not answered yet, streams among them. */
  active: number;
  lastUsed: number;
  close(): Promise<void>;
}

/** A request of it is being answered: it is not idle. Whoever sends the answer counts it out again. */
export function acquireSession(session: OpenHttpSession): void {
  session.active++;
  session.lastUsed = performance.now();
}

export function releaseSession(session: OpenHttpSession): void {
  session.active--;
  session.lastUsed = performance.now();
}

/** The sessions of one token: as many as may be, and none that nobody has used for long. */
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
   * Takes a place for one more. Where all are taken, the one that was idle longest makes room, of those that nobody uses and that would
   * lose nothing.
   *
   * @returns gives the place back, to be called once the session was added or given up; `undefined` where there is no room
   */
  async reserve(): Promise<(() => void) | undefined> {
    // One after the other, so that two do not count on the same room.
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
      // A request may have come meanwhile.
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
