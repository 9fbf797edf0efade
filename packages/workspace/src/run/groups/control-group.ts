import { attempt } from "@haft/system/processes";
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Kills all processes of a version 2 group, since Linux 5.14. */
const KILL = "cgroup.kill";
/** With 0, a version 1 group can start no more processes. */
const MOST_TASKS = "pids.max";
const THREADS = "tasks";
const PROCESSES = "cgroup.procs";

export class ControlGroup {
  readonly folder: string;
  #movesThreads: boolean | undefined;

  constructor(folder: string, movesThreads?: boolean) {
    this.folder = folder;
    this.#movesThreads = movesThreads;
  }

  get canBeEnded(): boolean {
    return [KILL, MOST_TASKS].some((file) => existsSync(join(this.folder, file)));
  }

  /** In this file, `0` means the writer. */
  get entry(): string {
    return join(this.folder, this.movesThreads ? THREADS : PROCESSES);
  }

  /** Version 1 moves single threads. */
  get movesThreads(): boolean {
    return (this.#movesThreads ??= existsSync(join(this.folder, THREADS)));
  }

  /** Returns pids of this PID namespace, without this program. */
  members(): number[] {
    const all = foldersFrom(this.folder).flatMap((folder) => numbersIn(join(folder, PROCESSES)));
    return all.filter((pid) => pid > 1 && pid !== process.pid);
  }

  /** Prevents new processes; in version 1, {@link members} must be killed afterwards. Does nothing while this program is in the group. */
  stop(): void {
    // In version 1, this is the thread that starts other processes.
    const entries = foldersFrom(this.folder).map((folder) => new ControlGroup(folder).entry);
    if (entries.some((entry) => numbersIn(entry).includes(process.pid))) return;
    if (!write(join(this.folder, KILL), "1")) write(join(this.folder, MOST_TASKS), "0");
  }

  remove(): boolean {
    if (this.removeAlone()) return true;
    for (const below of foldersIn(this.folder)) new ControlGroup(below).remove();
    return this.removeAlone();
  }

  removeAlone(): boolean {
    try {
      rmdirSync(this.folder);
      return true;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code === "ENOENT";
    }
  }
}

function numbersIn(path: string): number[] {
  const text = attempt(() => readFileSync(path, "utf8")) ?? "";
  return text.split("\n").filter(Boolean).map(Number);
}

function foldersFrom(folder: string): string[] {
  return [folder, ...foldersIn(folder).flatMap(foldersFrom)];
}

function foldersIn(folder: string): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((one) => one.isDirectory()).map(({ name }) => join(folder, name));
}

function write(path: string, text: string): boolean {
  const written = attempt(() => {
    writeFileSync(path, text, { flag: "r+" });
    return true;
  });
  return written ?? false;
}
