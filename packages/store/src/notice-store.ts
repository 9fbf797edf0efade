/** Whether somebody was told of a request. Times are milliseconds since the epoch. */
export interface NoticeRecord {
  /** Of the request. */
  readonly approvalId: string;
  /** Who was to be told, as messages name it. */
  readonly target: string;
  /** When that was begun. */
  readonly at: number;
  /** `telling` where a host was killed meanwhile, too: then nobody knows. */
  readonly state: "telling" | "told" | "failed";
  /** Why it failed, as the end of a sentence. */
  readonly problem?: string;
}

/** Remembers who was told of which request, so that nobody is told twice, whoever resumes. */
export interface NoticeStore {
  /** Begins one. False: it was begun before, here or by another process. */
  begin(approvalId: string, target: string, at: number): boolean | Promise<boolean>;
  /** How it ended; without a problem, well. */
  end(approvalId: string, target: string, problem?: string): void | Promise<void>;
  /** Of these requests. */
  of(approvalIds: readonly string[]): readonly NoticeRecord[] | Promise<readonly NoticeRecord[]>;
}
