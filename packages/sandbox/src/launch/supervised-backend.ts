import {
  type ProcessIdentity,
  attempt,
  readProcessIdentity,
  isAlive,
  getCurrentProcess,
  readTreeUsage,
} from "@haft/system";
import { withoutUndefined } from "@haft/utils";
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxProbe,
  SandboxRef,
  SandboxSpec,
} from "../backend.ts";
import { START_MS, END_MS } from "../defaults.ts";
import { abortedError, type BackendError, noAnswerError, insufficientMemoryError } from "../errors.ts";
import {
  type SandboxControlGroup,
  controlGroupFromFolders,
  makeControlGroup,
} from "../isolation/control-group.ts";
import { readGroupUsage, readTmpUsage } from "../isolation/control-group.ts";
import type { LaunchedProcess } from "./launched-process.ts";
import { killMarkedProcesses } from "./marked-processes.ts";
import { PassedFiles } from "./passed-files.ts";
import { type SandboxRecord, SandboxRecords } from "./records.ts";
import { sandboxRef } from "./sandbox-ref.ts";
import { waitFor } from "./wait-for.ts";

export interface LaunchContext {
  id: string;
  group: SandboxControlGroup;
  entries: readonly number[];
  files: PassedFiles;
}

export type SupervisedConnection = Omit<SandboxConnection, "mounts" | "facts"> & {
  stream: LaunchedProcess["stream"];
};

export interface LocalSandbox {
  connection: SandboxConnection;
  controllers: SandboxControlGroup["controllers"];
  filtered: boolean;
  guarded: boolean;
}

export interface StartMethod {
  start(start: LaunchContext): LaunchedProcess | Promise<LaunchedProcess>;
  explain(failed: { stderr: string; exitCode: number | undefined }): Error | Promise<Error>;
  folder?: string;
}

const ENDED_MS = 5_000;

/** Base of backends whose sandboxes are local processes and end with their host. */
export abstract class SupervisedBackend<Opened extends LocalSandbox> implements SandboxBackend {
  readonly id: string;
  readonly #error: BackendError;
  readonly #records: SandboxRecords;

  protected constructor(id: string, error: BackendError, folder: string | undefined) {
    this.id = id;
    this.#error = error;
    this.#records = new SandboxRecords(error, folder);
  }

  abstract probe(signal?: AbortSignal): Promise<SandboxProbe>;

  protected abstract start(spec: SandboxSpec, signal: AbortSignal | undefined): Promise<Opened>;

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    return (await this.opened(spec, signal)).connection;
  }

  protected async opened(spec: SandboxSpec, signal?: AbortSignal): Promise<Opened> {
    if (signal?.aborted === true) throw abortedError(this.id);
    return this.start(spec, signal);
  }

  protected async launch(
    spec: SandboxSpec,
    method: StartMethod,
    signal?: AbortSignal,
  ): Promise<{ tethered: SupervisedConnection; holds: SandboxControlGroup["controllers"] }> {
    try {
      return await this.#launch(spec, method, signal);
    } catch (thrown) {
      removeFolder(method.folder);
      throw thrown;
    }
  }

  async #launch(spec: SandboxSpec, method: StartMethod, signal?: AbortSignal) {
    this.#records.open();
    await this.#forget();
    const id = randomBytes(4).toString("hex");
    const ref = sandboxRef(this.id, id, spec);
    const { folder } = method;
    const recorded = withoutUndefined<Pick<SandboxRecord, "ref" | "folder">>({ ref, folder });
    const files = new PassedFiles(this.#records.folder);
    let group: SandboxControlGroup | undefined;
    let started: LaunchedProcess;
    try {
      group = makeControlGroup(id, spec.limits);
      this.#records.put({ ...recorded, processes: [], groups: group.folders, host: getCurrentProcess() });
      // First, for one-digit numbers.
      const entries = group.entries().map((fd) => files.addFile(fd));
      started = await method.start({ id, group, entries, files });
    } catch (thrown) {
      await group?.remove();
      this.#records.remove(id);
      throw thrown;
    } finally {
      files.close();
    }
    try {
      await this.#waitForRunner(id, started, group, method, signal);
    } catch (thrown) {
      this.#records.remove(id);
      throw thrown;
    }
    const processes = [readProcessIdentity(started.pid), childOf(started.pid)].filter(
      (one) => one !== undefined,
    );
    const record = { ...recorded, processes, groups: group.folders };
    this.#records.put(record);
    const holds: SandboxControlGroup["controllers"] = group.occupied() ? group.controllers : new Set();
    return { tethered: this.#serving(spec, record, started, group), holds };
  }

  async list(): Promise<SandboxRef[]> {
    await this.#forget();
    return this.#living().flatMap(({ ref, host }) => (host === undefined ? [ref] : []));
  }

  async destroy({ id }: SandboxRef): Promise<boolean> {
    const record = this.#living().find(({ ref }) => ref.id === id);
    if (record === undefined) return false;
    await killMarkedProcesses(id);
    await this.#cleared(record);
    return true;
  }

  #living(): SandboxRecord[] {
    return this.#records.read().living.filter(({ ref }) => ref.backend === this.id);
  }

  async #waitForRunner(
    id: string,
    { stream, exit, stderr }: LaunchedProcess,
    group: SandboxControlGroup,
    method: StartMethod,
    signal?: AbortSignal,
  ): Promise<void> {
    const stop = (): void => void killMarkedProcesses(id);
    const { answer, tooLate } = await waitFor(stream.answered, START_MS, signal, stop);
    if (answer && signal?.aborted !== true) return;
    stream.destroy();
    await killMarkedProcesses(id);
    const { code } = await exit;
    const oom = group.ranOutOfMemory();
    await group.remove();
    if (signal?.aborted === true) throw abortedError(this.id);
    if (tooLate) throw noAnswerError(this.#error, START_MS);
    if (oom) throw insufficientMemoryError(this.#error);
    throw await method.explain({ stderr: stderr(), exitCode: code });
  }

  #serving(
    { limits }: SandboxSpec,
    record: Omit<SandboxRecord, "boot">,
    { stream, exit, stderr }: LaunchedProcess,
    group: SandboxControlGroup,
  ): SupervisedConnection {
    let closing = false;
    /** Before the control group is removed. */
    const reason = exit.then(({ code, signal }): SandboxEnd => {
      const exitCode = code === undefined ? {} : { exitCode: code };
      if (closing) return { why: "it was closed", ...exitCode };
      if (group.ranOutOfMemory() && (code === 137 || signal === "SIGKILL")) {
        return { why: `it used more than ${limits.memoryMb} MiB of memory`, oom: true, ...exitCode };
      }
      const lastError = stderr().trim().split("\n").at(-1);
      const how = signal === undefined ? `ended with exit code ${code}` : `was ended by ${signal}`;
      return { why: `its runner ${how}${lastError ? `: ${lastError}` : ""}`, ...exitCode };
    });
    const end = async (): Promise<SandboxEnd> => {
      const found = await reason;
      if (closing) stream.destroy();
      else stream.finish();
      await this.#cleared({ ...record, boot: "" });
      return found;
    };
    const ended = end();
    stream.explainEnd(async () => (closing ? undefined : (await reason).why));
    return {
      ref: record.ref,
      stream,
      hostFolders: true,
      protectsPaths: true,
      masksSockets: true,
      ended,
      usage: async () => {
        const [launcher, inside] = record.processes;
        // Another process may have the pid.
        const tree = launcher !== undefined && isAlive(launcher) ? readTreeUsage(launcher.pid) : {};
        const tmp = inside !== undefined && isAlive(inside) ? readTmpUsage(inside.pid, limits.tmpMb) : {};
        return { ...tree, ...(group.occupied() && readGroupUsage(group.folders)), ...tmp };
      },
      close: async () => {
        closing = true;
        await stream.endWithin(END_MS, ended, () => void killMarkedProcesses(record.ref.id));
      },
    };
  }

  async #cleared({ ref, processes, groups, folder }: SandboxRecord): Promise<void> {
    const deadline = performance.now() + ENDED_MS;
    while (processes.some((one) => isAlive(one)) && performance.now() < deadline) await sleep(5);
    await killMarkedProcesses(ref.id);
    await controlGroupFromFolders(groups).remove();
    removeFolder(folder);
    this.#records.remove(ref.id);
  }

  async #forget(): Promise<void> {
    for (const record of this.#records.read().dead) {
      // Its host was killed during the start.
      if (record.host !== undefined) await killMarkedProcesses(record.ref.id);
      await this.#cleared(record);
    }
  }
}

function removeFolder(path: string | undefined): void {
  if (path !== undefined) rmSync(path, { recursive: true, force: true });
}

/** Bubblewrap's only child is the first process of the sandbox. */
function childOf(pid: number): ProcessIdentity | undefined {
  const children = attempt(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1"));
  const child = Number(children?.trim().split(" ")[0]);
  return child > 1 ? readProcessIdentity(child) : undefined;
}
