import { requireKnownOptions } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import { resolveAddresses, connectToAddresses, parsePrivateAllowlist, systemLookup } from "./addresses.ts";
import type { exchange as Exchange } from "./exchange.ts";

export {
  resolveAddresses,
  type AddressKind,
  canonicalAddress,
  type Connect,
  CONNECT_MS,
  connectToAddresses,
  type IsAllowedTarget,
  getAddressKind,
  type Lookup,
  unreachableError,
  parsePrivateAllowlist,
  systemLookup,
  type Target,
} from "./addresses.ts";

/** Loaded with the first one: HTTP, TLS and what unpacks take longer than all else here. */
export const exchangeOverHost: typeof Exchange = async (request, connect) =>
  (await import("./exchange.ts")).exchange(request, connect);

/** What tools reach by the network of this machine. */
export interface HostNetworkOptions {
  /**
   * Hosts and addresses that tools reach although they are of this machine or a local network: `10.0.0.5`,
   * `dev.example.com:3000`, `*.corp.example.com`, `10.1.0.0/16`. Default: none.
   */
  allowPrivate?: readonly string[];
  /** Names to addresses; the system's own by default. */
  lookup?: (host: string) => Promise<readonly { address: string }[]>;
}

/**
 * The network of this machine, for tools: `http:` and `https:`, to addresses of the internet and to those that the operator
 * opened. What speaks HTTP is loaded with the first request.
 *
 * @throws HaftError `INVALID_OPTIONS`
 */
export function createHostNetwork(options: HostNetworkOptions = {}): Network {
  requireKnownOptions<HostNetworkOptions>("createHostNetwork", options, { allowPrivate: true, lookup: true });
  const { allowPrivate = [], lookup = systemLookup } = options;
  const isOpened = parsePrivateAllowlist(allowPrivate);
  return {
    request: (request) =>
      exchangeOverHost(request, async (target, signal) =>
        connectToAddresses(await resolveAddresses(target, lookup, isOpened), target, signal),
      ),
  };
}
