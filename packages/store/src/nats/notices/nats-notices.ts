import { createHash } from "node:crypto";
import { MAX_NOTICE_PROBLEM, SETTLED_MS } from "../../defaults.ts";
import type { NoticeRecord, NoticeStore } from "../../state-store.ts";
import { Bucket } from "../approvals/bucket.ts";
import type { Link } from "../connection/link.ts";
import { idToken } from "../connection/names.ts";

export class NatsNotices implements NoticeStore {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  async begin(approvalId: string, target: string, at: number): Promise<boolean> {
    return await this.#of(approvalId).create(tokenOf(target), { approvalId, target, at, state: "telling" });
  }

  async end(approvalId: string, target: string, problem?: string): Promise<void> {
    const how = problem === undefined ? {} : { problem: problem.slice(0, MAX_NOTICE_PROBLEM) };
    const state = problem === undefined ? "told" : "failed";
    await this.#of(approvalId).change(tokenOf(target), (record) => ({ ...record, state, ...how }));
  }

  async of(approvalIds: readonly string[]): Promise<readonly NoticeRecord[]> {
    const found = await Promise.all(approvalIds.map((id) => this.#of(id).list()));
    return found.flat().map(({ value }) => value);
  }

  async sweep(): Promise<void> {
    const all = new Bucket<NoticeRecord>(this.#link, "notice.*");
    const kept = await all.list();
    const now = this.#link.clock.now();
    for (const { key, at } of kept) if (now - at > SETTLED_MS) await all.forget(key);
  }

  #of(approvalId: string): Bucket<NoticeRecord> {
    return new Bucket(this.#link, `notice.${idToken(approvalId)}`);
  }
}

/** Names of targets are for people, and hold what keys may not. */
function tokenOf(target: string): string {
  return createHash("sha256").update(target).digest("hex").slice(0, 32);
}
