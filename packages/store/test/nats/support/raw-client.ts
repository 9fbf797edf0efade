import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import { onTestFinished } from "vitest";
import type { TestServer } from "./nats-server.ts";

/** Somebody else on the server, who may do all there. Closed after the test. */
export interface RawClient {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** What is kept under a key of the store's buckets, `p1_approvals` or `p1_runs`. */
  read(bucket: string, key: string): Promise<Record<string, unknown>>;
  write(bucket: string, key: string, value: unknown): Promise<void>;
}

export async function connectRawClient(server: Pick<TestServer, "url">): Promise<RawClient> {
  const { connect } = await import("@nats-io/transport-node");
  const { jetstream } = await import("@nats-io/jetstream");
  const nc = await connect({ servers: server.url });
  onTestFinished(() => nc.close());
  const js = jetstream(nc);
  const jsm = await js.jetstreamManager();
  return {
    js,
    jsm,
    async read(bucket, key) {
      const found = await jsm.streams.getMessage(`KV_${bucket}`, { last_by_subj: `$KV.${bucket}.${key}` });
      return found!.json<Record<string, unknown>>();
    },
    async write(bucket, key, value) {
      await js.publish(`$KV.${bucket}.${key}`, typeof value === "string" ? value : JSON.stringify(value));
    },
  };
}
