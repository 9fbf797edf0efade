import type { Network } from "@haft/core/kernel";
import { type RequestedContainment, reachesHost } from "@haft/policy";
import { listedNetwork, refusingNetwork } from "@haft/sandbox/view";

/**
 * What tools of a session reach whose commands are contained: no more than those. Where they have all of the network, tools have
 * that of the host, which keeps local networks from them; the loopback of a view they do not reach.
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
