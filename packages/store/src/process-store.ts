import type { ProcessInfo } from "@haft/core";

/** One command of a run, as it is kept. Known secrets are covered in it. */
export interface KeptProcess {
  /** As it was last heard of. */
  readonly info: ProcessInfo;
  /** Where it runs on the machine itself, and may outlive its host: its process there. Absent where it cannot, or nobody knows. */
  readonly process?: {
    readonly pid: number;
    /** When it started, in a unit of the system. */
    readonly started: number;
    /** Where its number means something: one start of one machine or container. */
    readonly space: string;
  };
  /** Where it runs: `host`, `view` (contained on the host), `sandbox`, `node`. Absent in records of before it was written down. */
  readonly where?: string;
  /** What became of it when its host ended, where that is known by how it was started: the end of a sentence. */
  readonly fate: string;
}

/** Keeps the commands of runs. What it keeps is bounded: of each run the latest, and no longer than the run. */
export interface ProcessStore {
  /** Of a run, the oldest first. */
  of(runId: string): readonly KeptProcess[] | Promise<readonly KeptProcess[]>;
  /** Keeps one, instead of what was kept of its id. */
  put(runId: string, kept: KeptProcess): void | Promise<void>;
  /** Forgets one; one that is not kept is forgotten already. */
  remove(runId: string, id: string): void | Promise<void>;
}
