import { attempt } from "@haft/system/processes";
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writing to it kills all that is in a group of version 2, since Linux 5.14. */
const KILL = "cgroup.kill";
/** In groups of version 1 that count tasks. With 0 nothing in there, or below, starts anything any more. */
const MOST_TASKS = "pids.max";
const THREADS = "tasks";
const PROCESSES = "cgroup.procs";

/** A control group with all below it. Whatever a process in it starts is in it, whatever else it gives up. */
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

  /** Where is written who moves there; `0` is who writes. */
  get entry(): string {
    return join(this.folder, this.movesThreads ? THREADS : PROCESSES);
  }

  /** In version 1 its threads are moved one by one, in version 2 the whole program. */
  get movesThreads(): boolean {
    return (this.#movesThreads ??= existsSync(join(this.folder, THREADS)));
  }

  /** Processes in it, as this PID namespace numbers them, and never this program. None once it is removed. */
  members(): number[] {
    const all = foldersFrom(this.folder).flatMap((folder) => numbersIn(join(folder, PROCESSES)));
    return all.filter((pid) => pid > 1 && pid !== process.pid);
  }

  /**
   * From now on nothing in it starts anything. In version 1 {@link members} are then to be killed.
   * Does nothing while this program is in it, or below.
   */
  stop(): void {
    // In version 1 that is its first thread, which is the one that starts others.
    const entries = foldersFrom(this.folder).map((folder) => new ControlGroup(folder).entry);
    if (entries.some((entry) => numbersIn(entry).includes(process.pid))) return;
    if (!write(join(this.folder, KILL), "1")) write(join(this.folder, MOST_TASKS), "0");
  }

  /** It, and those below. False where something is in there still. */
  remove(): boolean {
    if (this.removeAlone()) return true;
    for (const below of foldersIn(this.folder)) new ControlGroup(below).remove();
    return this.removeAlone();
  }

  /** False where something is in it still, or there are groups below. */
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

/** Never creates the file: what is not there does nothing. */
function write(path: string, text: string): boolean {
  const written = attempt(() => {
    writeFileSync(path, text, { flag: "r+" });
    return true;
  });
  return written ?? false;
}
