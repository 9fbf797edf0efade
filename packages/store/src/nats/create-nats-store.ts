import { sha256 } from "@haft/utils";
import { type RetentionLimits, MAX_NOTICE_PROBLEM, SETTLED_MS } from "../defaults.ts";
import type { NoticeRecord, NoticeStore } from "../state-store.ts";
import { Bucket } from "./approvals/bucket.ts";
import { MessageAuthenticator } from "./approvals/message-authenticator.ts";
import { NatsApprovals } from "./approvals/nats-approvals.ts";
import { checkServer } from "./check/check-server.ts";
import { ensureStreams } from "./connection/ensure-streams.ts";
import type { Link } from "./connection/link.ts";
import { idToken } from "./connection/names.ts";
import type { LeaseTimes } from "./ledger/lease-times.ts";
import { NatsLedger } from "./ledger/nats-ledger.ts";
import { NatsRetention } from "./ledger/retention.ts";
import { RunsBucket } from "./ledger/runs-bucket.ts";
import type { NatsStore } from "./nats-store.ts";
import { NatsProcesses } from "./processes/nats-processes.ts";
import { NatsRecords } from "./records/nats-records.ts";
import type { RecordsOptions } from "./records/shared-records.ts";

export async function createNatsStore(
  link: Link,
  {
    replicas,
    bytes,
    days,
    sealKey,
  }: { replicas: number; sealKey?: Uint8Array | undefined } & RetentionLimits,
  times: LeaseTimes,
): Promise<NatsStore> {
  const streams = { replicas, bytes };
  try {
    await ensureStreams(link, streams);
  } catch (thrown) {
    await link.close();
    throw thrown;
  }
  const runs = new RunsBucket(link);
  const context = { link, runs, times };
  const ledger = new NatsLedger(context);
  const seals = new MessageAuthenticator(sealKey);
  const approvals = new NatsApprovals(link, seals);
  const notices = new NatsNotices(link);
  const retention = new NatsRetention(context, { days, bytes });
  const close = async () => {
    retention.close();
    await approvals.close();
    await link.close();
  };
  const sweep = async () => {
    await retention.sweep();
    await approvals.sweep();
    await notices.sweep();
  };
  const processes = new NatsProcesses(link);
  const check = () => checkServer({ link, runs, approvals }, streams);
  const records = <T>(options: RecordsOptions<T>) => new NatsRecords(link, seals, options).open();
  return { ledger, approvals, processes, notices, records, check, sweep, close };
}

class NatsNotices implements NoticeStore {
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

  async list(approvalIds: readonly string[]): Promise<readonly NoticeRecord[]> {
    const found = await Promise.all(approvalIds.map((id) => this.#of(id).list()));
    return found.flat().map(({ value }) => value);
  }

  async sweep(): Promise<void> {
    const all = new Bucket<NoticeRecord>(this.#link, "notice.*");
    const stored = await all.list();
    const now = this.#link.clock.now();
    for (const { key, at } of stored) if (now - at > SETTLED_MS) await all.forget(key);
  }

  #of(approvalId: string): Bucket<NoticeRecord> {
    return new Bucket(this.#link, `notice.${idToken(approvalId)}`);
  }
}

function tokenOf(target: string): string {
  return sha256(target).slice(0, 32);
}
