import { invalidOptions } from "@haft/core";
import { sha256 } from "@haft/utils";

export interface NatsNames {
  readonly ledger: string;
  readonly runs: string;
  readonly approvals: string;
  readonly everything: string;
  /** Returns the subject of calls; `*` for any session or run. */
  log(session: string, runId: string): string;
  parts(session: string, runId: string): string;
  run(session: string, runId: string): string;
}

/** @param prefix letters, digits, `-` and `_` */
export function createNatsNames(prefix: string): NatsNames {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(prefix)) {
    const message = `${JSON.stringify(prefix)} cannot be the prefix of a NATS store: it must be valid in names of streams and subjects.`;
    throw invalidOptions(message);
  }
  const at = (kind: string) => (session: string, runId: string) =>
    `${prefix}.ledger.${session}.${runId}.${kind}`;
  return {
    ledger: `${prefix}_ledger`,
    runs: `${prefix}_runs`,
    approvals: `${prefix}_approvals`,
    everything: `${prefix}.ledger.>`,
    log: at("log"),
    parts: at("part"),
    run: (session, runId) => `${session}.${runId}`,
  };
}

export function sessionToken(sessionKey: string): string {
  return sha256(sessionKey).slice(0, 32);
}

export function idToken(id: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : `=${sha256(id)}`;
}
