import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import type { ProcessStore } from "@haft/store";
import type { HostOptions } from "../host-options.ts";
import type { HostSessions } from "../host-sessions.ts";
import type { HostRules } from "../read-rules.ts";
import type { Reloader } from "../reload.ts";

export interface HostInsides {
  readonly given: HostOptions;
  readonly stateDir: string | undefined;
  readonly ledger: LedgerStore | undefined;
  readonly approvals: ApprovalStore | undefined;
  readonly processes: () => Promise<ProcessStore | undefined>;
  readonly auditFile: string | undefined;
  readonly isShared: boolean;
  readonly sessions: HostSessions;
  readonly nodes: Nodes | undefined;
  readonly rules: HostRules;
  readonly inForce: Pick<Reloader, "rules" | "policyWith">;
  /** Told when other rules hold; answers what ends that. */
  onPolicy(tell: () => void): () => void;
}

const insides = new WeakMap<object, HostInsides>();

export function keepInsides(host: object, inside: HostInsides): void {
  insides.set(host, inside);
}

export function insidesOf(host: object): HostInsides | undefined {
  return insides.get(host);
}
