import type { RunnerView } from "@haft/workspace/internal/wire";
import type { SandboxUsage } from "../backend.ts";
import type { UnprotectedPath, MountRule } from "./mount-plan.ts";

/** A view for the commands of one session. It starts with the first command. */
export interface View {
  /** For `createHostProcesses({ view })`. */
  readonly launch: RunnerView;
  /**
   * Affects running processes. Missing paths are protected once they exist.
   *
   * @param pinned writable folders that cannot be moved
   * @throws HaftError `CONTAINMENT_BROKEN`
   */
  protect(paths: readonly string[], pinned?: readonly string[]): Promise<void>;
  /** Read-only until {@link release}. @throws HaftError `CONTAINMENT_BROKEN` */
  restrict(folders: readonly string[]): Promise<void>;
  /** Ends the restriction of scanned folders. @throws HaftError `CONTAINMENT_BROKEN` */
  release(): Promise<void>;
  /** @throws HaftError `CONTAINMENT_BROKEN` */
  hide(paths: readonly string[]): Promise<void>;
  /**
   * Remounts protected paths whose file the host replaced, and returns them. Watches do this shortly after a change; call it before a
   * command to be certain.
   *
   * @throws HaftError `CONTAINMENT_BROKEN` if a folder of the session was replaced, or a path cannot be remounted
   */
  repair(): Promise<string[]>;
  /** Searches {@link ViewSpec.socketFolders}, once, at the latest with the first runner. Never throws. */
  scanSockets(): Promise<void>;
  hasRunningProcesses(): boolean;
  /** The first process, as the host sees it; `undefined` if no view is open. */
  pid(): number | undefined;
  /** Includes the limit of its private `/tmp`; `undefined` if no view is open. */
  usage(): { use: SandboxUsage; tmpMb: number } | undefined;
  describe(): ViewDescription;
  close(): Promise<void>;
}

export interface ViewDescription {
  rules: readonly { path: string; kind: Exclude<MountRule["kind"], "frame">; from?: string }[];
  /** With reasons. */
  unprotected: readonly UnprotectedPath[];
  /** Masked sockets, and FIFOs that {@link View.scanSockets} found. */
  sockets: readonly string[];
  unscanned: readonly string[];
  /** Reachable if the view has the host's network. */
  abstract: readonly string[];
  network: "none" | "full";
  open: boolean;
}
