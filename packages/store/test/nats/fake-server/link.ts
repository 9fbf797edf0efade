import { Link } from "../../../src/nats/connection/link.ts";
import { createNatsNames } from "../../../src/nats/connection/names.ts";
import { ServerClock } from "../../../src/nats/connection/server-clock.ts";
import { Queue, createFakeClient, type Wire } from "./client.ts";
import { FakeServer } from "./server.ts";

/** The real connection of a store, over a wire to a server that is none. */
export function createFakeLink(wire: Wire, clock: () => number, prefix = "haft"): Link {
  const { client, nc, js, jsm } = createFakeClient(wire);
  const names = createNatsNames(prefix);
  const serverClock = new ServerClock(clock);
  return new Link({
    servers: "a stand-in",
    client,
    names,
    clock: serverClock,
    nc,
    js,
    jsm,
    logger: undefined,
  });
}

/** A wire on which everything comes at once. */
export function createDirectWire(server = new FakeServer()): Wire {
  let isClosed = false;
  return {
    ask: async (request) => request(server),
    subscribe: (begin, take) => begin(server, take),
    status: () => new Queue(),
    isClosed: () => isClosed,
    close: async () => void (isClosed = true),
  };
}
