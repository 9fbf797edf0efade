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
  /** The open sandboxes. */
  sandboxes: readonly SandboxView[];
  /** The views of this machine in which commands of sessions run. */
  views: readonly ContainedView[];
  /** The machines that agents may call. */
  nodes: readonly NodeView[];
  /** How commands of sessions on this machine run. */
  commands: readonly CommandTargetView[];
}

/** Amounts by resource, under the names of the settings of sandboxes: `memoryMb` → `512`. */
export type ResourceAmounts = Readonly<Record<string, string>>;

/** A sandbox and its use. */
export interface SandboxView {
  /** Its id at its backend. */
  id: string;
  /** The name of the backend: `bubblewrap`, `docker` and others. */
  backend: string;
  /** Who shares it: one session, an agent, or all sessions of a folder. */
  scope?: string;
  /** The sessions in it. */
  sessions: readonly string[];
  /** The state of the sandbox. */
  state: string;
  /** Its limits. */
  limits: ResourceAmounts;
  /** Its present use, if it is known. */
  use?: ResourceAmounts;
  /** The network that it reaches. */
  network?: string;
}

/** A view that contains the commands of one session on this machine. */
export interface ContainedView {
  /** The id of the run. */
  runId: string;
  /** The key of the conversation. */
  sessionKey: string;
  /** Number of commands that run in it. */
  running: number;
  /** Its limits. A resource without an entry has only the limit of the machine. */
  limits: ResourceAmounts;
  /** Its present use, if it is known. */
  use?: ResourceAmounts;
  /** The network that it reaches, as text. */
  network: string;
}

/** A node: another machine. */
export interface NodeView {
  /** Its id. */
  id: string;
  /** The name that its operator gave it. */
  name: string;
  /** Whether it may be called: `approved`, `new`, `changed` or `revoked`. */
  state: string;
  /** Whether it responded just now. */
  present: boolean;
  /** The commands and workspaces that may be used, each with its limit. */
  offers: readonly { name: string; limit?: string }[];
  /** Its limits and the resources of its machine, as it reports them. */
  limits: ResourceAmounts;
  /** Its present use, if it reports it. */
  use?: ResourceAmounts;
}

/** Where commands of a kind of session run. */
export interface CommandTargetView {
  /** The kind of session. */
  kind: SessionKind;
  /** `view`: contained on this machine. `open`: on this machine, where rules decide about each. `sandbox`: in a sandbox. */
  where: "view" | "open" | "sandbox" | "nowhere";
  /** The same as text. */
  text: string;
}
