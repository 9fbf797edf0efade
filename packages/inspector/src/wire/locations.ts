import type { SessionKind } from "@haft/core";

/** `GET /api/places`: what runs where. */
export interface Locations {
  /** Sandboxes that are open. */
  sandboxes: readonly SandboxView[];
  /** Views of this machine that commands of sessions run in. */
  views: readonly ContainedView[];
  /** Machines that agents may call. */
  nodes: readonly NodeView[];
  /** How commands of sessions on this machine run. */
  commands: readonly CommandTargetView[];
}

/** Amounts by what they are of, as the settings of sandboxes call it: `memoryMb` → `512`. */
export type ResourceAmounts = Readonly<Record<string, string>>;

/** A sandbox. */
export interface SandboxView {
  /** Its id at its backend. */
  id: string;
  /** `bubblewrap`, `docker` … */
  backend: string;
  /** Whose it is: of a session, an agent, or shared. */
  scope?: string;
  /** Sessions that are in it. */
  sessions: readonly string[];
  /** Whether it runs. */
  state: string;
  /** What limits it. */
  limits: ResourceAmounts;
  /** What it uses now, where that can be told. */
  use?: ResourceAmounts;
  /** What it reaches. */
  network?: string;
}

/** A view that the commands of one session on this machine are contained in. */
export interface ContainedView {
  /** Whose it is: the run. */
  runId: string;
  /** The name of the session. */
  sessionKey: string;
  /** Commands that run in it. */
  running: number;
  /** What limits it: what is not there has no limit but that of the machine. */
  limits: ResourceAmounts;
  /** What it uses now, where that can be told. */
  use?: ResourceAmounts;
  /** What it reaches, in words. */
  network: string;
}

/** Another machine. */
export interface NodeView {
  /** Its id. */
  id: string;
  /** As its operator called it. */
  name: string;
  /** What follows for calls: `approved`, `new`, `changed`, `revoked`. */
  state: string;
  /** It answered just now. */
  present: boolean;
  /** What of it may be used, and what limits each. */
  offers: readonly { name: string; limit?: string }[];
  /** What limits it, and what there is on its machine, as it says. */
  limits: ResourceAmounts;
  /** What it uses now, as it says; absent where it does not report it. */
  use?: ResourceAmounts;
}

/** How commands of such sessions run. */
export interface CommandTargetView {
  /** The kind of session. */
  kind: SessionKind;
  /** `view`: contained on this machine. `open`: on this machine, rules decide about each. `sandbox`. */
  where: "view" | "open" | "sandbox" | "nowhere";
  /** In words. */
  text: string;
}
