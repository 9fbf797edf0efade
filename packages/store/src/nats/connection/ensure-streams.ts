import type { StreamConfig, StreamInfo } from "@nats-io/jetstream";
import { storeError } from "../../errors.ts";
import type { Link } from "./link.ts";

/** Bytes for runs and approvals. */
const BUCKET_BYTES = 64 * 1024 * 1024;

export interface StreamOptions {
  readonly replicas: number;
  /** Limits calls. The server refuses more than twice this, which leaves time for removals. */
  readonly bytes: number;
}

/**
 * Creates missing streams. Rejects existing streams that would lose data.
 *
 * @throws HaftError `NATS_UNFIT`
 */
export async function ensureStreams(link: Link, options: StreamOptions): Promise<void> {
  const ensured = async (config: Wanted) => requireFit(link, config, await ensure(link, config));
  await Promise.all(wantedStreams(link, options).map(ensured));
  const { runs, approvals } = link.names;
  const kvm = new link.client.kv.Kvm(link.js);
  [link.runs, link.approvals] = await link.ask("The buckets could not be opened", () =>
    Promise.all([kvm.open(runs, { allow_direct: false }), kvm.open(approvals, { allow_direct: false })]),
  );
}

export async function checkStreams(link: Link, options: StreamOptions): Promise<void> {
  for (const config of wantedStreams(link, options)) {
    const info = await streamInfo(link, config.name);
    if (info === undefined) throw streamMissing(link, config.name);
    requireFit(link, config, info);
  }
}

type Wanted = Partial<StreamConfig> & { name: string; subjects: string[] };

function wantedStreams(link: Link, { replicas, bytes }: StreamOptions): Wanted[] {
  const { DiscardPolicy, RetentionPolicy, StorageType } = link.client.jetstream;
  const shared = {
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
  };
  const bucket = {
    max_bytes: BUCKET_BYTES,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
    deny_delete: false,
  };
  const { ledger, runs, approvals, everything } = link.names;
  return [
    { ...shared, name: ledger, subjects: [everything], max_bytes: 2 * bytes },
    { ...shared, ...bucket, name: `KV_${runs}`, subjects: [`$KV.${runs}.>`] },
    { ...shared, ...bucket, name: `KV_${approvals}`, subjects: [`$KV.${approvals}.>`] },
  ];
}

function streamInfo(link: Link, name: string): Promise<StreamInfo | undefined> {
  return link.find(`The stream ${name} could not be read`, () => link.jsm.streams.info(name));
}

function streamMissing(link: Link, name: string): Error {
  const message = `The stream ${name} and its data are no longer on the NATS server (${link.servers}).`;
  const fix = "Restore it from a backup (`nats stream restore`). A restarted host creates an empty stream.";
  return storeError("STORE_INCOMPLETE", message, { fix });
}

async function ensure(link: Link, config: Wanted): Promise<StreamInfo> {
  const there = await streamInfo(link, config.name);
  if (there !== undefined) return there;
  // Identical creation by two hosts succeeds.
  return await link.ask(`The stream ${config.name} could not be created`, () => link.jsm.streams.add(config));
}

function requireFit(link: Link, wanted: Wanted, { config }: StreamInfo): void {
  const mistakes = [
    config.storage !== wanted.storage && "it is in memory, but must be on disk (`storage: file`)",
    config.retention !== wanted.retention && "its `retention` must be `limits`",
    config.max_age > 0 && "it removes old messages (`max_age`), which may be calls that wait",
    config.max_msgs > 0 && "it limits the number of messages (`max_msgs`)",
    config.discard !== wanted.discard &&
      "it removes the oldest messages when it is full; `discard` must be `new`",
    (wanted.max_msgs_per_subject ?? -1) !== config.max_msgs_per_subject &&
      `its \`max_msgs_per_subject\` must be ${wanted.max_msgs_per_subject ?? -1}`,
    wanted.subjects.some((subject) => !config.subjects.includes(subject)) &&
      `it must have the subject ${wanted.subjects.join(", ")}`,
    (config.mirror !== undefined || config.sources !== undefined || config.sealed) &&
      "it is a mirror, has sources, or is sealed",
  ].filter((mistake) => mistake !== false);
  if (mistakes.length === 0) return;
  const message = `The stream ${config.name} on the NATS server (${link.servers}) cannot hold the data of a store: ${mistakes.join("; ")}.`;
  throw storeError("NATS_UNFIT", message);
}
