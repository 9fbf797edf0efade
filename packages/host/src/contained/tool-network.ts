import type { Network } from "@haft/core/kernel";
import { type RequestedContainment, reachesHost } from "@haft/policy";
import { listedNetwork, refusingNetwork } from "@haft/sandbox/view";

/**
 * Returns the network of tools in a contained session: at most that of its commands. With all of the network,
 * tools have the host's network, which blocks local networks. Tools cannot reach the loopback of a view.
 */
export function createToolNetwork({ network, source }: RequestedContainment, ofHost: Network): Network {
  if (network === "full") return ofHost;
  if (network === "none" || network.length === 0)
    return refusingNetwork(
      `This session is contained without a network (${source}), and that holds for its tools, too.`,
      "Do it without the network, or ask the operator to name the host in the network of contained sessions.",
    );
  return listedNetwork({ list: network, allows: (host) => reachesHost(network, host) });
}
