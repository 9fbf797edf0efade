/** Whether somebody was told of a request. Times are milliseconds since the epoch. */
export interface NoticeRecord {
  approvalId: string;
  /** Who was to be told, as messages name it. */
  target: string;
  /** When that was begun. */
  at: number;
  /** `telling` where a host was killed meanwhile, too: then nobody knows. */
  state: "telling" | "told" | "failed";
  /** Why it failed, as the end of a sentence. */
  problem?: string;
}

/** Remembers who was told of which request, so that nobody is told twice, whoever resumes. */
export interface NoticeBook {
  /** Begins one. False: it was begun before, here or by another process. */
  begin(approvalId: string, target: string, at: number): boolean;
  /** How it ended; without a problem, well. */
  end(approvalId: string, target: string, problem?: string): void;
  /** Of these requests. */
  of(approvalIds: readonly string[]): NoticeRecord[];
}

/** So many are remembered in memory. */
const MOST = 10_000;

/** As long as this program runs. */
export function createMemoryNotices(): NoticeBook {
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
      record.state = problem === undefined ? "told" : "failed";
      if (problem !== undefined) record.problem = problem;
    },
    of: (approvalIds) => [...records.values()].filter((one) => approvalIds.includes(one.approvalId)),
  };
}
