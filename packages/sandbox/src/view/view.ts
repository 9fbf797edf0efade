import type { RunnerView } from "@haft/workspace/internal/wire";
import type { SandboxUsage } from "../backend.ts";
import type { UnprotectedPath, MountRule } from "./mount-plan.ts";

export interface View {
  readonly launch: RunnerView;
  /** Affects running processes. Missing paths are protected once they exist. @throws HaftError `CONTAINMENT_BROKEN` */
  protect(paths: readonly string[], pinned?: readonly string[]): Promise<void>;
  /** Read-only until {@link release}. @throws HaftError `CONTAINMENT_BROKEN` */
  restrict(folders: readonly string[]): Promise<void>;
  /** Ends the restriction of scanned folders. @throws HaftError `CONTAINMENT_BROKEN` */
  release(): Promise<void>;
  /** @throws HaftError `CONTAINMENT_BROKEN` */
  hide(paths: readonly string[]): Promise<void>;
  /** Remounts replaced protected paths, and returns them. @throws HaftError `CONTAINMENT_BROKEN`, also for a replaced session folder */
  repair(): Promise<string[]>;
  /** Searches {@link ViewSpec.socketFolders}, once, at the latest with the first runner. Never throws. */
  scanSockets(): Promise<void>;
  hasRunningProcesses(): boolean;
  pid(): number | undefined;
  /** Includes the limit of its private `/tmp`; `undefined` if no view is open. */
  usage(): { use: SandboxUsage; tmpMb: number } | undefined;
  describe(): ViewDescription;
  close(): Promise<void>;
}

export interface ViewDescription {
  rules: readonly { path: string; kind: Exclude<MountRule["kind"], "frame">; from?: string }[];
  unprotected: readonly UnprotectedPath[];
  /** Masked sockets, and FIFOs that {@link View.scanSockets} found. */
  sockets: readonly string[];
  unscanned: readonly string[];
  /** Reachable if the view has the host's network. */
  abstract: readonly string[];
  network: "none" | "full";
  open: boolean;
}
