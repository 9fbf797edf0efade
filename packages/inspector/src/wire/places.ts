import type { SessionKind } from "@haft/core";

/** `GET /api/places`: what runs where. */
export interface Places {
  /** Sandboxes that are open. */
  sandboxes: readonly SandboxShown[];
  /** Machines that agents may call. */
  nodes: readonly NodeShown[];
  /** How commands of sessions on this machine run. */
  commands: readonly CommandsShown[];
}

/** A sandbox. */
export interface SandboxShown {
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
  /** What limits it, in words: `memory` → `2 GB`. */
  limits: Readonly<Record<string, string>>;
  /** What it uses now, where that can be told. */
  use?: Readonly<Record<string, string>>;
  /** What it reaches. */
  network?: string;
}

/** Another machine. */
export interface NodeShown {
  /** Its id. */
  id: string;
  /** As its operator called it. */
  name: string;
  /** `online`, `offline`, `waits for approval` … */
  state: string;
  /** What it offers. */
  commands: readonly string[];
  /** When it was last heard of. */
  lastSeenAt?: number;
}

/** How commands of such sessions run. */
export interface CommandsShown {
  /** The kind of session. */
  kind: SessionKind;
  /** `view`: contained on this machine. `open`: on this machine, rules decide about each. `sandbox`. */
  where: "view" | "open" | "sandbox" | "nowhere";
  /** In words. */
  text: string;
}
