import type { RunnerView } from "@haft/workspace/internal/wire";
import type { SandboxUsage } from "../backend.ts";
import type { UnprotectedPath, MountRule } from "./mount-plan.ts";

/** A view of the host that the commands of one session run in. Nothing is started before the first of them. */
export interface View {
  /** For `createHostProcesses({ view })`: starts the runner in it. */
  readonly launch: RunnerView;
  /**
   * From now on these stay as they are, for what already runs, too. What is not there is held once it is.
   *
   * @param pinned folders that can be written and not be moved away
   * @throws HaftError `CONTAINMENT_BROKEN`
   */
  protect(paths: readonly string[], pinned?: readonly string[]): Promise<void>;
  /** From now on nothing is written in these folders, until {@link release}. @throws HaftError `CONTAINMENT_BROKEN` */
  restrict(folders: readonly string[]): Promise<void>;
  /** Folders that were not searched are by now: they may be written again. @throws HaftError `CONTAINMENT_BROKEN` */
  release(): Promise<void>;
  /** From now on these are not there. @throws HaftError `CONTAINMENT_BROKEN` */
  hide(paths: readonly string[]): Promise<void>;
  /**
   * Looks whether walls came off, as they do when the host puts another file in the place of one, and puts them up again. That
   * is noticed by itself where folders can be watched, a moment later; before a command it has to be certain, so call it then.
   * Answers the paths.
   *
   * @throws HaftError `CONTAINMENT_BROKEN` when a folder of the session is another one, or a wall stays away
   */
  repair(): Promise<string[]>;
  /** Looks through {@link ViewSpec.looked}, once; the first start of a runner does, too. Never throws. */
  scanSockets(): Promise<void>;
  hasRunningProcesses(): boolean;
  /** Its first process, as the host counts; `undefined` while nothing is open. */
  pid(): number | undefined;
  /** What all in it use now, and how much they may write to their private `/tmp`; `undefined` while nothing is open. */
  usage(): { use: SandboxUsage; tmpMb: number } | undefined;
  describe(): ViewDescription;
  close(): Promise<void>;
}

export interface ViewDescription {
  rules: readonly { path: string; kind: Exclude<MountRule["kind"], "frame">; from?: string }[];
  /** What mounts cannot hold, and why. */
  unprotected: readonly UnprotectedPath[];
  /** Sockets of the host that are covered, and FIFOs that were there at {@link View.scanSockets}. */
  sockets: readonly string[];
  unscanned: readonly string[];
  /** Those without a file, which are in reach where the view has the host's network. */
  abstract: readonly string[];
  network: "none" | "full";
  open: boolean;
}
