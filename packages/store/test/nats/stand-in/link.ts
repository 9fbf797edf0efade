import { Link } from "../../../src/nats/connection/link.ts";
import { namesOf } from "../../../src/nats/connection/names.ts";
import { ServerClock } from "../../../src/nats/connection/server-clock.ts";
import { Queue, standInClient, type Wire } from "./client.ts";
import { StandInServer } from "./server.ts";

/** The real connection of a store, over a wire to a server that is none. */
export function linkOver(wire: Wire, clock: () => number, prefix = "haft"): Link {
  const { client, nc, js, jsm } = standInClient(wire);
  const names = namesOf(prefix);
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
export function directWire(server = new StandInServer()): Wire {
  let isClosed = false;
  return {
    ask: async (request) => request(server),
    hear: (begin, take) => begin(server, take),
    status: () => new Queue(),
    isClosed: () => isClosed,
    close: async () => void (isClosed = true),
  };
}
