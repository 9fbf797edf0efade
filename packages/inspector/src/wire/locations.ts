import type { SessionKind } from "@haft/core";

/**
 * Sandboxes, views and nodes: `GET /api/places`.
 *
 * @example
 * ```ts
 * import type { Locations } from "@haft/inspector";
 * const running = ({ views }: Locations) => views.reduce((sum, view) => sum + view.running, 0);
 * ```
 */
export interface Locations {
  sandboxes: readonly SandboxView[];
  /** Views of this machine for sessions' commands. */
  views: readonly ContainedView[];
  nodes: readonly NodeView[];
  commands: readonly CommandTargetView[];
}

/** Amounts by sandbox setting: `memoryMb` → `512`. */
export type ResourceAmounts = Readonly<Record<string, string>>;

export interface SandboxView {
  /** Its backend's id. */
  id: string;
  /** `bubblewrap`, `docker` and others. */
  backend: string;
  /** Shared by one session, an agent, or all sessions of a folder. */
  scope?: string;
  sessions: readonly string[];
  state: string;
  limits: ResourceAmounts;
  /** Current use, if known. */
  use?: ResourceAmounts;
  network?: string;
}

/** A session's view on this machine. */
export interface ContainedView {
  runId: string;
  /** Key of the conversation. */
  sessionKey: string;
  /** Number of running commands. */
  running: number;
  /** Other resources have only the machine's limit. */
  limits: ResourceAmounts;
  /** Current use, if known. */
  use?: ResourceAmounts;
  network: string;
}

export interface NodeView {
  id: string;
  /** The operator's name for the node. */
  name: string;
  /** `approved`, `new`, `changed` or `revoked`. */
  state: string;
  /** The node just responded. */
  present: boolean;
  /** Usable commands and workspaces, with limits. */
  offers: readonly { name: string; limit?: string }[];
  /** Limits and resources, as the node reports them. */
  limits: ResourceAmounts;
  /** Current use, if reported. */
  use?: ResourceAmounts;
}

export interface CommandTargetView {
  kind: SessionKind;
  /** `view`: contained on this machine. `open`: on this machine, by rules. `sandbox`: in a sandbox. */
  where: "view" | "open" | "sandbox" | "nowhere";
  text: string;
}
