import type { ProcessInfo } from "@haft/core";
import type { RunnerProcesses } from "../wire/protocol.ts";
import type { ProcessRecords } from "./process-records.ts";

/** Limits the ended processes that still have their output. */
const MAX_ENDED = 256;

/** Reports processes as lost after the end of their runner or host. A failing store does not stop commands. */
export class KnownProcesses {
  readonly #records: ProcessRecords | undefined;
  readonly #code: NonNullable<ProcessInfo["loss"]>["code"];
  readonly #onStoreFailed: (thrown: unknown) => void;
  readonly #live = new Map<string, ProcessInfo>();
  readonly #past = new Map<string, ProcessInfo>();
  #loaded: Promise<void> | undefined;

  constructor(
    records: ProcessRecords | undefined,
    code: NonNullable<ProcessInfo["loss"]>["code"],
    onStoreFailed: (thrown: unknown) => void,
  ) {
    this.#records = records;
    this.#code = code;
    this.#onStoreFailed = onStoreFailed;
  }

  load(): Promise<void> {
    this.#loaded ??= this.#store(async (records) => {
      for (const info of await records.load())
        this.#past.set(info.id, this.#asPast(info, "the host that started it has ended"));
    });
    return this.#loaded;
  }

  follow(runner: RunnerProcesses, info: ProcessInfo): void {
    if (this.#live.has(info.id)) return;
    this.#live.set(info.id, info);
    void this.#store((records) => records.put(info));
    if (info.state === "running") void this.#writeDownEnd(runner, info.id);
    else void this.#forgetOldest(runner);
  }

  update(info: ProcessInfo): ProcessInfo {
    if (info.state !== "running" && this.#live.has(info.id)) this.#live.set(info.id, info);
    return info;
  }

  loseAll(why: string): void {
    for (const info of this.#live.values()) {
      const past = this.#asPast(info, why);
      this.#past.set(info.id, past);
      void this.#store((records) => records.put(past));
    }
    this.#live.clear();
  }

  findPast(id: string): ProcessInfo | undefined {
    return this.#past.get(id);
  }

  listPast(): ProcessInfo[] {
    return [...this.#past.values()];
  }

  findPastByCaller(callerId: string): ProcessInfo | undefined {
    return this.listPast().find((info) => info.callerId === callerId);
  }

  async forget(id: string): Promise<void> {
    this.#live.delete(id);
    this.#past.delete(id);
    await this.#store((records) => records.remove(id));
  }

  async #writeDownEnd(runner: RunnerProcesses, id: string): Promise<void> {
    const ended = await runner.ended(id).catch(() => undefined);
    if (ended === undefined || !this.#live.has(id)) return;
    this.#live.set(id, ended);
    await this.#store((records) => records.put(ended));
    await this.#forgetOldest(runner);
  }

  async #forgetOldest(runner: RunnerProcesses): Promise<void> {
    const ended = [...this.#live.values()].filter(({ state }) => state !== "running");
    if (ended.length <= MAX_ENDED) return;
    const oldest = ended[0]!.id;
    this.#live.delete(oldest);
    await runner.release(oldest).catch(() => {});
    await this.forget(oldest);
  }

  #asPast(info: ProcessInfo, why: string): ProcessInfo {
    const { output, loss = { code: this.#code, why } } = info;
    return {
      ...info,
      state: info.state === "running" ? "lost" : info.state,
      loss,
      stdin: "closed",
      output: { ...output, dropped: output.total },
    };
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
