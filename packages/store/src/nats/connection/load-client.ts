import type * as jetstreamModule from "@nats-io/jetstream";
import type * as kvModule from "@nats-io/kv";
import type * as transportModule from "@nats-io/transport-node";
import { storeError } from "../../errors.ts";

export interface Client {
  readonly transport: typeof transportModule;
  readonly jetstream: typeof jetstreamModule;
  readonly kv: typeof kvModule;
}

/** Loads optional packages. @throws HaftError `STORE_UNSUPPORTED` */
export async function loadClient(): Promise<Client> {
  try {
    const [transport, jetstream, kv] = await Promise.all([
      import("@nats-io/transport-node"),
      import("@nats-io/jetstream"),
      import("@nats-io/kv"),
    ]);
    return { transport, jetstream, kv };
  } catch (thrown) {
    const message = `The NATS client cannot be loaded: ${(thrown as Error).message}`;
    throw storeError("STORE_UNSUPPORTED", message, { cause: thrown });
  }
}
