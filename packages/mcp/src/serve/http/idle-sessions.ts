import type { Conversation } from "../conversation.ts";

/** A conversation of a token, and who uses it. */
export interface OpenSession {
  readonly conversation: Conversation;
  /** Requests that are not answered yet, streams among them. */
  active: number;
  /** As `performance.now()` has it. */
  lastUsed: number;
  /** Lets go of all that it has. */
  close(): Promise<void>;
}

/** The sessions of one token: as many as may be, and none that nobody has used for long. */
export class Sessions {
  readonly #open = new Map<string, OpenSession>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): OpenSession | undefined {
    return this.#open.get(key);
  }

  all(): OpenSession[] {
    return [...this.#open.values()];
  }

  /** Whether one more may be opened. One that has made no call, and that nobody uses, makes room. */
  hasRoom(): boolean {
    if (this.#open.size < this.#most) return true;
    const idle = [...this.#open].filter(
      ([, { active, conversation }]) => active === 0 && !conversation.isOpened,
    );
    const [oldest] = idle.toSorted(([, one], [, other]) => one.lastUsed - other.lastUsed);
    if (oldest === undefined) return false;
    void this.close(oldest[0]);
    return true;
  }

  add(key: string, session: OpenSession): void {
    this.#open.set(key, session);
  }

  async close(key: string): Promise<void> {
    const session = this.#open.get(key);
    this.#open.delete(key);
    await session?.close();
  }

  /** Closes those that nobody has used since. */
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
