import { escapeInvisible } from "@haft/core/internal";
import type { PairingToDecide } from "@haft/nodes";
import { claimRole } from "../../nodes/node-role.ts";
import { openBus } from "../../nodes/open-bus.ts";
import { interruptible } from "../plugins/interruptible.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { whoAgrees } from "./agree-on-code.ts";
import { type NodeValues, openNode, requireServer } from "./open-node.ts";

/** Milliseconds the node waits for a host, and for the answer of whoever compares the codes. */
const WAIT_MS = 5 * 60_000;

/** Waits for one host and has a person compare the codes. Resolves to the exit code. */
export async function pairHost(values: NodeValues): Promise<number> {
  const { json = false } = values;
  const agrees = whoAgrees("haft node pair", values["read-code"] ?? false);
  return interruptible(json, async (leaving) => {
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(WAIT_MS)]);
    const opened = await openNode(values);
    let release: (() => void) | undefined;
    try {
      const server = requireServer(opened);
      release = claimRole(opened.folders.node, "pairing");
      const { knownHostsIn, pairNode } = await import("@haft/nodes");
      const { node, identity, folders } = opened;
      const bus = await openBus(server, identity, stderrLogger);
      try {
        console.error(
          `haft: ${escapeInvisible(node.name)} (${node.id}) waits for a host. There: haft nodes pair ${node.id}`,
        );
        const options = { bus, identity, hosts: knownHostsIn(folders.hosts) };
        const request = await pairNode(node, options, signal);
        const { hostId, hostName, code } = request;
        if (json) console.log(JSON.stringify({ code, host: { id: hostId, name: hostName } }));
        else
          console.log(`The host ${escapeInvisible(hostName)} (${hostId}) wants to be paired.\n\n  ${code}`);
        return decide(request, await agrees(code, signal), json);
      } finally {
        await bus.close();
      }
    } finally {
      release?.();
      await opened.close();
    }
  });
}

function decide(request: PairingToDecide, isAgreed: boolean, json: boolean): number {
  if (isAgreed) request.accept();
  else request.refuse();
  const { hostId: id, hostName: name } = request;
  if (json) console.log(JSON.stringify({ paired: isAgreed, host: { id, name } }));
  else if (isAgreed)
    console.log(`Paired: this node takes calls of ${escapeInvisible(name)} while haft node start runs.`);
  else
    console.log(
      "Not paired. If the codes differed, somebody was in between: begin again on another network.",
    );
  return isAgreed ? 0 : 1;
}
