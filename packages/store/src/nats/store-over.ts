import { NatsApprovals } from "./approvals/nats-approvals.ts";
import { Seals } from "./approvals/seals.ts";
import { checkServer } from "./check/check-server.ts";
import { ensureStreams } from "./connection/ensure-streams.ts";
import type { Link } from "./connection/link.ts";
import type { LeaseTimes } from "./ledger/lease-times.ts";
import { NatsLedger } from "./ledger/nats-ledger.ts";
import { type Keep, Retention } from "./ledger/retention.ts";
import { RunsBucket } from "./ledger/runs-bucket.ts";
import type { NatsStore } from "./nats-store.ts";
import { NatsNotices } from "./notices/nats-notices.ts";
import { NatsProcesses } from "./processes/nats-processes.ts";
import { NatsRecords } from "./records/nats-records.ts";
import type { RecordsOptions } from "./records/shared-records.ts";

export async function storeOver(
  link: Link,
  { replicas, bytes, days, sealKey }: { replicas: number; sealKey?: Uint8Array | undefined } & Keep,
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
  const place = { link, runs, times };
  const ledger = new NatsLedger(place);
  const seals = new Seals(sealKey);
  const approvals = new NatsApprovals(link, seals);
  const notices = new NatsNotices(link);
  const retention = new Retention(place, { days, bytes });
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
