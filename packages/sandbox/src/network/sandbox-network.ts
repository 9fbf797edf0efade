import { HaftError, messageOf } from "@haft/core";
import { fitsHost } from "@haft/core/internal";
import type { Network } from "@haft/core/kernel";
import {
  addressesFor,
  type Connect,
  exchangeOverHost,
  type IsOpened,
  notReached,
  readOpenedPlaces,
} from "@haft/workspace/internal/network";
import { type RunnerConnection, type RunnerNetwork, sandboxLost } from "@haft/workspace/internal/wire";
import type { SandboxSpec } from "../backend.ts";
import { listedNetwork, noNetwork, refusingNetwork } from "./listed-network.ts";

/**
 * The network of tools: none, the hosts of the list, or what is reached from inside, by the runner's connections.
 * `open` opens a lost sandbox anew. `allowPrivate`: what of local networks is open, as seen from inside.
 */
export function sandboxNetwork(
  { network }: Pick<SandboxSpec, "network">,
  open: () => Promise<RunnerConnection>,
  allowPrivate: readonly string[] = [],
): Network {
  if (network === "none")
    return refusingNetwork(
      "The sandbox of this session has no network (its network is none).",
      "Do it without the network, or have the operator open the session with sandbox: { network: full }.",
    );
  if (typeof network === "object") {
    const list = network.allow.map((entry) => entry.toLowerCase());
    return listedNetwork({ list, allows: (host) => list.some((entry) => fitsHost(entry, host)) });
  }
  const isOpened = readOpenedPlaces(allowPrivate);
  return { request: async (request) => exchangeOverHost(request, inside(await reached(open), isOpened)) };
}

async function reached(open: () => Promise<RunnerConnection>): Promise<RunnerNetwork> {
  const { network } = await open();
  if (network !== undefined) return network;
  throw noNetwork(
    "What serves in this sandbox makes no connections for tools: it is a shell. They are not made from the host instead.",
    undefined,
    "Open a sandbox whose image has Node 20 or later.",
  );
}

function inside(network: RunnerNetwork, isOpened: IsOpened): Connect {
  return async (target, signal) => {
    const addresses = await addressesFor(target, (host) => network.lookup(host), isOpened);
    let last: unknown;
    for (const address of addresses) {
      try {
        return await network.connect(address, target.port, signal);
      } catch (thrown) {
        if (HaftError.is(thrown)) throw thrown;
        const { code } = thrown as { code?: unknown };
        if (code === "RUNNER_LOST" || code === "RUNNER_UNAVAILABLE")
          throw sandboxLost(`reach ${target.host}`, messageOf(thrown), "none", thrown);
        last = thrown;
        if (signal.aborted) break;
      }
    }
    throw notReached(target, messageOf(last).slice(0, 500), last);
  };
}
