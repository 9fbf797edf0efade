import type { SessionOptions } from "@haft/core/kernel";
import type { FakeNetwork } from "../fakes/fake-network.ts";

/** The options of a session whose tools reach this network. */
export function withNetwork(options: SessionOptions, network: Pick<FakeNetwork, "request">): SessionOptions {
  return { ...options, network };
}
