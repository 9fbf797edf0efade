import { HaftError, getErrorMessage } from "@haft/core";
import type { Network } from "@haft/core/kernel";
import { matchesHostName } from "@haft/utils";
import {
  resolveAddresses,
  type Connect,
  exchangeOverHost,
  type IsAllowedTarget,
  unreachableError,
  parsePrivateAllowlist,
} from "@haft/workspace/internal/network";
import { type RunnerConnection, type RunnerNetwork, sandboxLostError } from "@haft/workspace/internal/wire";
import type { SandboxSpec } from "../backend.ts";
import { listedNetwork, noNetworkError, refusingNetwork } from "./listed-network.ts";

/** `open` reopens a lost sandbox. `allowPrivate` lists allowed local networks, as seen from inside. */
export function sandboxNetwork(
  { network }: Pick<SandboxSpec, "network">,
  open: () => Promise<RunnerConnection>,
  allowPrivate: readonly string[] = [],
): Network {
  if (network === "none")
    return refusingNetwork(
      "The sandbox of this session has no network (its network is none).",
      "Work without the network, or ask the operator to open the session with sandbox: { network: full }.",
    );
  if (typeof network === "object") {
    const list = network.allow.map((entry) => entry.toLowerCase());
    return listedNetwork({ list, allows: (host) => list.some((entry) => matchesHostName(entry, host)) });
  }
  const isOpened = parsePrivateAllowlist(allowPrivate);
  return { request: async (request) => exchangeOverHost(request, inside(await reached(open), isOpened)) };
}

async function reached(open: () => Promise<RunnerConnection>): Promise<RunnerNetwork> {
  const { network } = await open();
  if (network !== undefined) return network;
  throw noNetworkError(
    "This sandbox has only a shell runner, which makes no connections for tools. Haft makes none from the host instead.",
    undefined,
    "Open a sandbox whose image has Node 20 or later.",
  );
}

function inside(network: RunnerNetwork, isOpened: IsAllowedTarget): Connect {
  return async (target, signal) => {
    const addresses = await resolveAddresses(target, (host) => network.lookup(host), isOpened);
    let last: unknown;
    for (const address of addresses) {
      try {
        return await network.connect(address, target.port, signal);
      } catch (thrown) {
        if (HaftError.is(thrown)) throw thrown;
        const { code } = thrown as { code?: unknown };
        if (code === "RUNNER_LOST" || code === "RUNNER_UNAVAILABLE")
          throw sandboxLostError(`reach ${target.host}`, getErrorMessage(thrown), "none", thrown);
        last = thrown;
        if (signal.aborted) break;
      }
    }
    throw unreachableError(target, getErrorMessage(last).slice(0, 500), last);
  };
}
