import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import type { ApprovalScope, ApprovalState } from "@haft/core/internal";
import { getOwnerStatus, type Owner } from "@haft/system";
import { readRequest, settleRequest } from "../../approvals/request-text.ts";
import { readAnswer } from "../../approvals/sealed-answer.ts";
import type { Database } from "../database/database.ts";
import type { BrokenRows } from "./broken-rows.ts";

export interface Row {
  id: string;
  record: string;
  secret: string;
  state: ApprovalState;
  expires_at: number;
  asker: string | null;
  answer: string | null;
  taken: number;
}

export type AnswerSelector = { approvalId: string } | (ApprovalScope & { exactKey: string });

const EXPIRED = "WHERE state IN ('open', 'answered') AND expires_at <= ?";

/** Reads and writes request rows. Changes need a transaction. */
export class Requests {
  readonly #database: Database;
  readonly #broken: BrokenRows;

  constructor(database: Database, broken: BrokenRows) {
    this.#database = database;
    this.#broken = broken;
  }

  row(approvalId: string): Row | undefined {
    return this.#database.get("SELECT * FROM requests WHERE id = ?", approvalId) as Row | undefined;
  }

  /** By call, only unawaited requests: a waiting process takes precedence. */
  answeredRows(which: AnswerSelector): Row[] {
    if ("approvalId" in which) {
      const row = this.row(which.approvalId);
      return row !== undefined && getRowState(row) === "answered" ? [row] : [];
    }
    const rows = this.#database.all(
      `SELECT * FROM requests WHERE agent = ? AND session_key = ? AND exact_key = ? AND state = 'answered'
       AND expires_at > ? ORDER BY asked_at`,
      which.agentId,
      which.sessionKey,
      which.exactKey,
      Date.now(),
    ) as Row[];
    return rows.filter((row) => isRowAttended(row) !== true);
  }

  peekAnswer(row: Row): ApprovalAnswer | undefined {
    return this.#broken.readRow("answer to", row.id, () => readAnswer(row.answer ?? "", row));
  }

  readAnswerOrReopen(row: Row): ApprovalAnswer | undefined {
    const answer = this.peekAnswer(row);
    if (answer !== undefined) return answer;
    const until = this.read(row)?.expiresAt ?? 0;
    this.#database.run(
      "UPDATE requests SET state = 'open', answer = NULL, expires_at = ? WHERE id = ? AND answer IS ?",
      Math.round(until),
      row.id,
      row.answer,
    );
    return undefined;
  }

  read(row: Row): ApprovalRequestRecord | undefined {
    return this.#broken.readRow("request", row.id, () => {
      const request = readRequest(row.record);
      if (request.approvalId !== row.id) throw new Error("it belongs to another request");
      const attended = isUnsettled(row) ? isRowAttended(row) : undefined;
      return attended === undefined ? request : { ...request, attended };
    });
  }

  hasExpired(): boolean {
    return this.#database.get(`SELECT 1 FROM requests ${EXPIRED} LIMIT 1`, Date.now()) !== undefined;
  }

  expire(): void {
    const rows = this.#database.all(`SELECT * FROM requests ${EXPIRED}`, Date.now()) as Row[];
    for (const row of rows) this.settle(row, "expired");
  }

  /** Stores the outcome and erases the content from all files. */
  settle(row: Row, state: "decided" | "withdrawn" | "expired", taken = 0): void {
    this.#database.emptyWriteAhead();
    this.#database.run(
      `UPDATE requests SET state = ?, record = ?, answer = NULL, asker = NULL, taken = ?, settled_at = ? WHERE id = ?`,
      state,
      settledText(row.record),
      taken,
      Date.now(),
      row.id,
    );
  }
}

export function isUnsettled({ state }: Row): boolean {
  return state === "open" || state === "answered";
}

export function getRowState(row: Row): ApprovalState {
  return isUnsettled(row) && row.expires_at <= Date.now() ? "expired" : row.state;
}

/** Returns whether a process waits; `undefined` in another container or boot. */
export function isRowAttended({ asker }: Row): boolean | undefined {
  if (asker === null) return false;
  try {
    const fate = getOwnerStatus(JSON.parse(asker) as Owner);
    return fate === "unknown" ? undefined : fate === "alive";
  } catch {
    return undefined;
  }
}

function settledText(text: string): string {
  try {
    return JSON.stringify(settleRequest(readRequest(text)));
  } catch {
    return "{}";
  }
}
