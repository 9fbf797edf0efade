import { SESSION_OPTIONS } from "@haft/core/internal";
import type { SessionOptions } from "@haft/core/kernel";
import type { FakeNetwork } from "../fakes/fake-network.ts";

/** The options of a session whose tools reach this network, where the kernel has one for them. */
export function withNetwork(options: SessionOptions, network: Pick<FakeNetwork, "request">): SessionOptions {
  return "network" in SESSION_OPTIONS ? ({ ...options, network } as SessionOptions) : options;
}
