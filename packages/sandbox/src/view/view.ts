import type { RunnerView } from "@haft/workspace/internal/wire";
import type { SandboxUsage } from "../backend.ts";
import type { UnprotectedPath, MountRule } from "./mount-plan.ts";

/** A view of the host for the commands of one session. It starts with the first command. */
export interface View {
  /** For `createHostProcesses({ view })`: starts the runner in the view. */
  readonly launch: RunnerView;
  /**
   * Protects paths, also for running processes. Missing paths are protected once they exist.
   *
   * @param pinned writable folders that cannot be moved
   * @throws HaftError `CONTAINMENT_BROKEN`
   */
  protect(paths: readonly string[], pinned?: readonly string[]): Promise<void>;
  /** Makes folders read-only until {@link release}. @throws HaftError `CONTAINMENT_BROKEN` */
  restrict(folders: readonly string[]): Promise<void>;
  /** Makes unsearched folders writable after their scan. @throws HaftError `CONTAINMENT_BROKEN` */
  release(): Promise<void>;
  /** Hides paths. @throws HaftError `CONTAINMENT_BROKEN` */
  hide(paths: readonly string[]): Promise<void>;
  /**
   * Remounts protected paths whose file the host replaced, and returns them. Watches do this shortly after a change; call it before a
   * command to be certain.
   *
   * @throws HaftError `CONTAINMENT_BROKEN` if a folder of the session was replaced, or a path cannot be remounted
   */
  repair(): Promise<string[]>;
  /** Searches {@link ViewSpec.socketFolders}, once. The first start of a runner does the same. Never throws. */
  scanSockets(): Promise<void>;
  hasRunningProcesses(): boolean;
  /** Pid of the first process, on the host; `undefined` if no view is open. */
  pid(): number | undefined;
  /** Returns the current usage and the limit of its private `/tmp`; `undefined` if no view is open. */
  usage(): { use: SandboxUsage; tmpMb: number } | undefined;
  describe(): ViewDescription;
  close(): Promise<void>;
}

export interface ViewDescription {
  rules: readonly { path: string; kind: Exclude<MountRule["kind"], "frame">; from?: string }[];
  /** Paths that mounts cannot protect, with reasons. */
  unprotected: readonly UnprotectedPath[];
  /** Masked sockets of the host, and FIFOs that {@link View.scanSockets} found. */
  sockets: readonly string[];
  unscanned: readonly string[];
  /** Abstract sockets, which are reachable if the view has the host's network. */
  abstract: readonly string[];
  network: "none" | "full";
  open: boolean;
}
