import { MAX_NOTICE_PROBLEM, SETTLED_MS } from "../../defaults.ts";
import type { NoticeRecord, NoticeStore } from "../../state-store.ts";
import type { Database } from "../database/database.ts";

export function noticeRows(db: Database): NoticeStore {
  return {
    begin: (approvalId, target, at) =>
      db.write(() => {
        db.run("DELETE FROM notices WHERE at < ?", at - SETTLED_MS);
        const sql =
          "INSERT OR IGNORE INTO notices (approval_id, target, at, state) VALUES (?, ?, ?, 'telling')";
        return db.run(sql, approvalId, target, at) > 0;
      }),
    end(approvalId, target, problem) {
      const state = problem === undefined ? "told" : "failed";
      const why = problem?.slice(0, MAX_NOTICE_PROBLEM) ?? null;
      const sql = "UPDATE notices SET state = ?, problem = ? WHERE approval_id = ? AND target = ?";
      db.run(sql, state, why, approvalId, target);
    },
    of: (approvalIds) =>
      approvalIds.flatMap((id) =>
        db
          .all(
            "SELECT approval_id AS approvalId, target, at, state, problem FROM notices WHERE approval_id = ?",
            id,
          )
          .map((row) => {
            const { problem, ...record } = row as { problem: string | null };
            return { ...record, ...(problem !== null && { problem }) } as NoticeRecord;
          }),
      ),
  };
}
