import type { CallRecord } from "@haft/core/internal";

const STATUS = ["pending", "executing", "completed", "failed", "gap"] as const;
const OUTCOME = [undefined, "ok", "error", "blocked", "pending", "cancelled"] as const;
const PER_STATUS = 8;

export function toLedgerKind({ status, outcome }: Pick<CallRecord, "status" | "outcome">): number {
  return STATUS.indexOf(status) * PER_STATUS + Math.max(OUTCOME.indexOf(outcome), 0);
}

export function listKinds(wanted: Partial<Pick<CallRecord, "status" | "outcome">>): number[] {
  return STATUS.filter((status) => (wanted.status ?? status) === status).flatMap((status) =>
    OUTCOME.filter((outcome) => wanted.outcome === undefined || wanted.outcome === outcome).map((outcome) =>
      toLedgerKind(outcome === undefined ? { status } : { status, outcome }),
    ),
  );
}

export const OPEN_KINDS: readonly number[] = [
  ...listKinds({ status: "pending" }),
  ...listKinds({ status: "executing" }),
];

const EXECUTING = toLedgerKind({ status: "executing" });
const WELL = toLedgerKind({ status: "completed", outcome: "ok" });

export const EXCEPTIONAL_KINDS_SQL = `kind NOT IN (${EXECUTING}, ${WELL})`;

/** Selects the time index of these kinds; `running` needs none. */
export function selectTimeIndex(kinds: readonly number[]): "odd" | "running" | "any" {
  if (kinds.includes(WELL)) return "any";
  return kinds.includes(EXECUTING) ? "running" : "odd";
}
