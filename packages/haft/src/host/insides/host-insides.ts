import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import type { ProcessStore } from "@haft/store";
import type { HostOptions } from "../host-options.ts";
import type { HostSessions } from "../host-sessions.ts";
import type { HostRules } from "../read-rules.ts";
import type { Reloader } from "../reload.ts";

/** What of a host is for the parts of Haft that look at it. */
export interface HostInsides {
  /** What it was made of. */
  readonly given: HostOptions;
  /** Absent where it keeps nothing. */
  readonly stateDir: string | undefined;
  /** Where calls are kept beyond its process. */
  readonly ledger: LedgerStore | undefined;
  /** Where approvals are. */
  readonly approvals: ApprovalStore | undefined;
  readonly processes: () => Promise<ProcessStore | undefined>;
  /** The audit log it writes. */
  readonly auditFile: string | undefined;
  /** Several hosts keep their sessions in one place. */
  readonly isShared: boolean;
  readonly sessions: HostSessions;
  readonly nodes: Nodes | undefined;
  /** What its files said when it started. */
  readonly rules: HostRules;
  /** What they said when they were read last, and what would hold with other rules. */
  readonly inForce: Pick<Reloader, "rules" | "policyWith">;
  /** Told when other rules hold; answers what ends that. */
  onPolicy(tell: () => void): () => void;
}

const insides = new WeakMap<object, HostInsides>();

export function keepInsides(host: object, inside: HostInsides): void {
  insides.set(host, inside);
}

/** Of a host that `createHost` made; `undefined` of any other. */
export function insidesOf(host: object): HostInsides | undefined {
  return insides.get(host);
}
