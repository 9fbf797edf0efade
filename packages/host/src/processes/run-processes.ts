import { type Logger, getErrorMessage, type Processes, type ProcessInfo } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import type { ProcessRecord, ProcessStore } from "@haft/store";
import { readProcessIdentity, getCurrentOwner } from "@haft/system";
import type { HostProcesses } from "@haft/workspace";

/** Milliseconds before a running command is recorded. Most end earlier. */
const WRITTEN_AFTER_MS = 50;

export class RunProcesses {
  readonly #open: () => Promise<ProcessStore | undefined>;
  readonly #logger: Logger | undefined;
  readonly #session = Promise.withResolvers<Session>();
  readonly #waiting = new Map<string, ProcessRecord>();
  readonly #written = new Set<string>();
  #isFollowing = false;

  constructor(open: () => Promise<ProcessStore | undefined>, logger: Logger | undefined) {
    this.#open = open;
    this.#logger = logger;
  }

  attach(session: Session): void {
    this.#session.resolve(session);
  }

  async listPast(): Promise<readonly ProcessRecord[]> {
    const { run } = await this.#session.promise;
    if (run === undefined || run.epoch === 1) return [];
    return (await this.#try((store) => store.list(run.runId))) ?? [];
  }

  /** Records a command when its starting call ends, or {@link WRITTEN_AFTER_MS} later. @param where as from `getExecutionTarget` */
  async recordStart(processes: Processes, info: ProcessInfo, where: string): Promise<void> {
    if (info.state !== "running") return;
    this.#waiting.set(info.id, { ...toStoredRecord(processes, info), where });
    setTimeout(() => void this.#flush(processes), WRITTEN_AFTER_MS).unref();
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const session = await this.#session.promise;
    session.subscribe((event) => {
      if (event.type === "tool-end" && this.#waiting.size > 0) void this.#flush(processes);
    });
  }

  recordUpdate(info: ProcessInfo): void {
    const waiting = this.#waiting.get(info.id);
    if (waiting !== undefined && info.state !== "running") this.#waiting.delete(info.id);
  }

  async forget(id: string): Promise<void> {
    this.#waiting.delete(id);
    if (!this.#written.delete(id)) return;
    await this.#withRun((store, runId) => store.remove(runId, id));
  }

  async forgetPast(id: string): Promise<void> {
    await this.#withRun((store, runId) => store.remove(runId, id));
  }

  async #flush(processes: Processes): Promise<void> {
    for (const [id, stored] of this.#waiting) {
      this.#waiting.delete(id);
      this.#written.add(id);
      await this.#withRun((store, runId) => store.put(runId, stored));
      void this.#writeDownEnd(processes, stored);
    }
  }

  async #writeDownEnd(processes: Processes, stored: ProcessRecord): Promise<void> {
    const { id } = stored.info;
    // After a crash, the record reports the process as lost.
    const ended = await processes.wait(id).catch(() => undefined);
    if (ended === undefined || ended.state !== "exited" || !this.#written.has(id)) return;
    await this.#withRun((store, runId) => store.put(runId, { ...stored, info: covered(ended) }));
  }

  async #withRun(work: (store: ProcessStore, runId: string) => void | Promise<void>): Promise<void> {
    const { run } = await this.#session.promise;
    if (run !== undefined) await this.#try((store) => work(store, run.runId));
  }

  async #try<T>(work: (store: ProcessStore) => T | Promise<T>): Promise<T | undefined> {
    try {
      const store = await this.#open();
      return store && (await work(store));
    } catch (thrown) {
      this.#logger?.warn(`A command could not be written down, or looked up: ${getErrorMessage(thrown)}`);
      return undefined;
    }
  }
}

function toStoredRecord(processes: Processes, info: ProcessInfo): ProcessRecord {
  const { isolation } = processes as Partial<HostProcesses>;
  const stored = { info: covered(info) };
  if (isolation === undefined || info.outside === true) return { ...stored, fate: "its host has ended" };
  if (isolation.kind === "namespace") return { ...stored, fate: "its host has ended, and it ended with it" };
  const seen = readProcessIdentity(info.pid);
  const fate = "its host has ended, and it is not there any more";
  return seen === undefined
    ? { ...stored, fate }
    : { ...stored, fate, process: { ...getCurrentOwner(), ...seen } };
}

function covered(info: ProcessInfo): ProcessInfo {
  return { ...info, command: redactSecrets(info.command) };
}
