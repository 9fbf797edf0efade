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

/** Lazy: HTTP, TLS and decompression take the longest to load. */
export const exchangeOverHost: typeof Exchange = async (request, connect) =>
  (await import("./exchange.ts")).exchange(request, connect);

/**
 * Configures {@link createHostNetwork}.
 *
 * @example
 * ```ts
 * import type { HostNetworkOptions } from "@haft/workspace";
 * const options: HostNetworkOptions = { allowPrivate: ["localhost:3000", "*.corp.example.com", "10.1.0.0/16"] };
 * ```
 */
export interface HostNetworkOptions {
  /** Opens local hosts and addresses to tools: `10.0.0.5`, `dev.example.com:3000`, `*.corp.example.com`, `10.1.0.0/16`. Default: none. */
  allowPrivate?: readonly string[];
  /** Resolves names to addresses. Default: the resolver of the system. */
  lookup?: (host: string) => Promise<readonly { address: string }[]>;
}

/**
 * Opens the network of this machine for tools: `http:` and `https:`, to public addresses and to addresses that `allowPrivate` lists. The
 * HTTP client is loaded at the first request.
 *
 * @throws HaftError `INVALID_OPTIONS`
 *
 * @example
 * ```ts
 * import { createHostNetwork } from "@haft/workspace";
 * const network = createHostNetwork({ allowPrivate: ["registry.corp.example.com"] });
 * const url = "https://registry.corp.example.com/-/ping";
 * const { status } = await network.request({ url, method: "GET", headers: [], signal: AbortSignal.timeout(5000) });
 * ```
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
