import type { ProcessInfo } from "@haft/core";
import type { Backend } from "./host-runner.ts";
import type { ProcessRecords } from "./process-records.ts";

/** Ended processes that are kept, with their output, until somebody forgets them. Beyond it the oldest goes. */
const MAX_ENDED = 256;

/**
 * What the host itself knows of its processes: enough to say of each, when the runner or an earlier host is gone,
 * that it was there and is lost. A store that fails disturbs no command.
 */
export class KnownProcesses {
  readonly #records: ProcessRecords | undefined;
  readonly #onStoreFailed: (thrown: unknown) => void;
  /** In the hands of a runner, as they were last heard of. */
  readonly #live = new Map<string, ProcessInfo>();
  /** Of a runner or a host that is gone. */
  readonly #past = new Map<string, ProcessInfo>();
  #loaded: Promise<void> | undefined;

  constructor(records: ProcessRecords | undefined, onStoreFailed: (thrown: unknown) => void) {
    this.#records = records;
    this.#onStoreFailed = onStoreFailed;
  }

  /** Once: what an earlier host wrote down. Nothing of it runs any more. */
  load(): Promise<void> {
    this.#loaded ??= this.#store(async (records) => {
      for (const info of await records.load()) this.#past.set(info.id, asPast(info));
    });
    return this.#loaded;
  }

  /** A process has started: it is written down now and at its end. */
  follow(backend: Backend, info: ProcessInfo): void {
    if (this.#live.has(info.id)) return;
    this.#live.set(info.id, info);
    void this.#store((records) => records.put(info));
    if (info.state === "running") void this.#writeDownEnd(backend, info.id);
    else void this.#forgetOldest(backend);
  }

  /** The runner is gone, with everything it had in hand. */
  loseAll(): void {
    for (const info of this.#live.values()) {
      const past = asPast(info);
      this.#past.set(info.id, past);
      void this.#store((records) => records.put(past));
    }
    this.#live.clear();
  }

  past(id: string): ProcessInfo | undefined {
    return this.#past.get(id);
  }

  allPast(): ProcessInfo[] {
    return [...this.#past.values()];
  }

  pastOfCaller(callerId: string): ProcessInfo | undefined {
    return this.allPast().find((info) => info.callerId === callerId);
  }

  async forget(id: string): Promise<void> {
    this.#live.delete(id);
    this.#past.delete(id);
    await this.#store((records) => records.remove(id));
  }

  async #writeDownEnd(backend: Backend, id: string): Promise<void> {
    let ended: ProcessInfo;
    try {
      ended = await backend.ended(id);
    } catch {
      // Lost, which is heard of otherwise.
      return;
    }
    if (!this.#live.has(id)) return;
    this.#live.set(id, ended);
    await this.#store((records) => records.put(ended));
    await this.#forgetOldest(backend);
  }

  async #forgetOldest(backend: Backend): Promise<void> {
    const ended = [...this.#live.values()].filter(({ state }) => state !== "running");
    if (ended.length <= MAX_ENDED) return;
    const oldest = ended[0]!.id;
    this.#live.delete(oldest);
    await backend.release(oldest).catch(() => {});
    await this.forget(oldest);
  }

  async #store(work: (records: ProcessRecords) => Promise<void>): Promise<void> {
    if (this.#records === undefined) return;
    try {
      await work(this.#records);
    } catch (thrown) {
      this.#onStoreFailed(thrown);
    }
  }
}

/** How a process ended is only known if it was heard of before. Its output is gone, but for the file. */
function asPast(info: ProcessInfo): ProcessInfo {
  const { output } = info;
  return {
    ...info,
    state: info.state === "running" ? "lost" : info.state,
    stdin: "closed",
    output: { ...output, dropped: output.total },
  };
}
