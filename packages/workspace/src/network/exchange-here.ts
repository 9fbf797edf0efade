import type { NetworkAnswer, NetworkRequest } from "@haft/core/kernel";
import { lookup as lookUp } from "node:dns/promises";
import { addressesFor, type Lookup } from "./addresses-for.ts";
import { connectHere } from "./connect-here.ts";
import { exchange } from "./exchange.ts";
import type { IsOpened } from "./opened-places.ts";

/** As the system does it, in its order. */
export const systemLookup: Lookup = (host) => lookUp(host, { all: true });

/** One exchange from this process. */
export function exchangeHere(
  request: NetworkRequest,
  { isOpened, lookup = systemLookup }: { isOpened: IsOpened; lookup?: Lookup | undefined },
): Promise<NetworkAnswer> {
  return exchange(request, async (target, signal) => {
    const addresses = await addressesFor(target, lookup, isOpened);
    return connectHere(addresses, target, signal);
  });
}
