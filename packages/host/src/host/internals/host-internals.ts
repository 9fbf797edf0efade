import type { ApprovalStore, LedgerStore } from "@haft/core/kernel";
import type { Nodes } from "@haft/nodes";
import type { ProcessStore } from "@haft/store";
import type { HostOptions } from "../host-options.ts";
import type { HostSessions } from "../host-sessions.ts";
import type { HostRules } from "../read-rules.ts";
import type { Reloader } from "../reload.ts";

export interface HostInternals {
  readonly options: HostOptions;
  readonly stateDir: string | undefined;
  readonly ledger: LedgerStore | undefined;
  readonly approvals: ApprovalStore | undefined;
  readonly processes: () => Promise<ProcessStore | undefined>;
  readonly auditFile: string | undefined;
  readonly isShared: boolean;
  readonly sessions: HostSessions;
  readonly nodes: Nodes | undefined;
  readonly rules: HostRules;
  readonly activeRules: Pick<Reloader, "rules" | "policyWith">;
  /** Calls `tell` when rules change; returns a function that ends this. */
  onPolicy(listener: () => void): () => void;
}

const insides = new WeakMap<object, HostInternals>();

export function setHostInternals(host: object, inside: HostInternals): void {
  insides.set(host, inside);
}

export function getHostInternals(host: object): HostInternals | undefined {
  return insides.get(host);
}
