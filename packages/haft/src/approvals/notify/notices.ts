import type { NoticeRecord, NoticeStore } from "@haft/store";

/** So many are remembered in memory. */
const MOST = 10_000;

export function createMemoryNotices(): NoticeStore {
  const records = new Map<string, NoticeRecord>();
  const keyOf = (approvalId: string, target: string) => JSON.stringify([approvalId, target]);
  return {
    begin(approvalId, target, at) {
      const key = keyOf(approvalId, target);
      if (records.has(key)) return false;
      records.set(key, { approvalId, target, at, state: "telling" });
      if (records.size > MOST) records.delete(records.keys().next().value!);
      return true;
    },
    end(approvalId, target, problem) {
      const record = records.get(keyOf(approvalId, target));
      if (record === undefined) return;
      const state = problem === undefined ? "told" : "failed";
      records.set(keyOf(approvalId, target), { ...record, state, ...(problem !== undefined && { problem }) });
    },
    of: (approvalIds) => [...records.values()].filter((one) => approvalIds.includes(one.approvalId)),
  };
}
