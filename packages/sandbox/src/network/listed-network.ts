import type { HaftError } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import {
  connectToAddresses,
  exchangeOverHost,
  type Lookup,
  unreachableError,
  systemLookup,
} from "@haft/workspace/internal/network";
import { workspaceError } from "@haft/workspace/internal/wire";
import { isIP } from "node:net";
import { type Judge, formatTargetKey, permit } from "../view/network/proxy/permit.ts";
import { readHost } from "../view/network/proxy/target.ts";

export interface ListedNetworkOptions {
  list: readonly string[];
  allows: (host: string) => boolean;
  lookup?: Lookup | undefined;
}

/**
 * Creates a network that reaches the hosts of a list, by the same rules as the proxy of contained commands: never this machine, and local
 * networks only by address.
 *
 * @param options `list`: hosts, patterns and addresses. `allows`: whether the list has a host.
 * @example
 * ```ts
 * import { listedNetwork } from "@haft/sandbox/view";
 * const network = listedNetwork({ list: ["api.example.com"], allows: (host) => host === "api.example.com" });
 * ```
 */
export function listedNetwork(options: ListedNetworkOptions): Network {
  requireKnownOptions<ListedNetworkOptions>("listedNetwork", options, {
    list: true,
    allows: true,
    lookup: true,
  });
  const { list, allows, lookup = systemLookup } = options;
  const addresses = new Set(list.filter((entry) => isIP(entry) !== 0));
  const judge: Judge = {
    allows,
    ports: [80, 443],
    agreed: new Set(list.flatMap(withPort)),
    isListedAddress: (address) => addresses.has(address),
    lookup: async (host) => (await lookup(host)).map(({ address }) => ({ address, family: isIP(address) })),
    offer: ([host]) => `the author of the list can add ${host}`,
  };
  return {
    request: (request) =>
      exchangeOverHost(request, async (target, signal) => {
        const permitted = await permit(target, judge);
        if ("refusal" in permitted) throw noNetworkError(permitted.refusal.message, { host: target.host });
        if ("unresolved" in permitted) {
          const why = `its name could not be resolved (${permitted.unresolved})`;
          throw unreachableError(target, why);
        }
        return connectToAddresses(permitted.addresses, target, signal);
      }),
  };
}

function withPort(entry: string): string[] {
  const { host, port } = readHost(entry) ?? {};
  return host === undefined || port === undefined ? [] : [formatTargetKey({ host, port })];
}

export function noNetworkError(message: string, details?: Record<string, unknown>, fix?: string): HaftError {
  return workspaceError("NO_NETWORK", message, {
    ...(details !== undefined && { details }),
    ...(fix !== undefined && { fix }),
  });
}

/**
 * Creates a network that refuses every request with one error, `NO_NETWORK`.
 *
 * @param message The message of the error.
 * @param fix What to do instead.
 * @example
 * ```ts
 * import { refusingNetwork } from "@haft/sandbox/view";
 * const network = refusingNetwork("This session has no network.", "Do it without the network.");
 * ```
 */
export function refusingNetwork(message: string, fix: string): Network {
  return {
    request: async () => {
      throw noNetworkError(message, undefined, fix);
    },
  };
}
