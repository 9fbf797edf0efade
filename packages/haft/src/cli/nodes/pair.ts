import { escapeInvisible } from "@haft/core/internal";
import { textTable } from "@haft/policy";
import { claimRole } from "../../nodes/node-role.ts";
import { openBus } from "../../nodes/open-bus.ts";
import { interruptible } from "../call/until-signal.ts";
import { stderrLogger } from "../stderr-logger.ts";
import { print } from "../write-out.ts";
import { whoAgrees } from "./agree-on-code.ts";
import { commandForPrograms, offerRows } from "./describe-node.ts";
import { findNamed } from "./find-named.ts";
import { type NodeValues, openNode, requireServer } from "./open-node.ts";
import { FIND_MS, type NodesValues, withNodes } from "./open-nodes.ts";

/** Milliseconds for the other side to come, and for the answer of whoever compares the codes. */
const WAIT_MS = 5 * 60_000;
const NOT_PAIRED =
  "Not paired. If the codes differed, somebody was in between: begin again on another network.";

type PairValues = { json?: boolean; "read-code"?: boolean };

/** Begins to pair with a node that waits for it, and has a person compare the codes. */
export async function pairNode(
  values: NodesValues & PairValues,
  [word = ""]: readonly string[],
): Promise<number> {
  const { json } = values;
  const agrees = whoAgrees("haft nodes pair", values["read-code"]);
  return interruptible(json, (leaving) =>
    withNodes(values, true, async ({ nodes, transport }) => {
      // One of this id is asked itself: nobody else has to be there.
      const id = /^U[A-Z2-7]{55}$/.test(word)
        ? word
        : findNamed(word, await transport.discover(FIND_MS), "node").id;
      const offer = await nodes.pair(id);
      const { node, declaration, code } = offer;
      const { name } = node;
      const { commands, workspaces } = declaration;
      print(
        json,
        { code, node: { id, name, commands: commands.map(commandForPrograms), workspaces } },
        () => {
          const lines = [`${name} (${id}) offers:`, ...textTable(offerRows(declaration))];
          return `${lines.map(escapeInvisible).join("\n")}\n\n  ${code}`;
        },
      );
      const isAgreed = await agrees(code, AbortSignal.any([leaving, AbortSignal.timeout(WAIT_MS)]));
      leaving.throwIfAborted();
      if (isAgreed) offer.accept();
      print(json, { paired: isAgreed, node: { id, name } }, () =>
        isAgreed
          ? `Paired, if the node agreed, too. Nothing of it may be called yet: haft nodes approve ${id.slice(0, 12)}`
          : NOT_PAIRED,
      );
      return isAgreed ? 0 : 1;
    }),
  );
}

/** On the node: waits for one host and has a person compare the codes. */
export async function acceptHost(values: NodeValues & PairValues): Promise<number> {
  const { json } = values;
  const agrees = whoAgrees("haft nodes accept", values["read-code"]);
  return interruptible(json, async (leaving) => {
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(WAIT_MS)]);
    const opened = await openNode(values);
    const { node, identity, folders } = opened;
    let release: (() => void) | undefined;
    try {
      const server = requireServer(opened);
      release = claimRole(folders.node, "pairing");
      const { knownHostsIn, pairNode: pair } = await import("@haft/nodes");
      const bus = await openBus(server, identity, stderrLogger);
      try {
        console.error(
          `haft: ${escapeInvisible(node.name)} (${node.id}) waits for a host. There: haft nodes pair ${node.id}`,
        );
        const request = await pair(node, { bus, identity, hosts: knownHostsIn(folders.hosts) }, signal);
        const { hostId: id, hostName: name, code } = request;
        const host = { id, name };
        print(
          json,
          { code, host },
          () => `The host ${escapeInvisible(name)} (${id}) wants to be paired.\n\n  ${code}`,
        );
        const isAgreed = await agrees(code, signal);
        if (isAgreed) request.accept();
        else request.refuse();
        print(json, { paired: isAgreed, host }, () =>
          isAgreed
            ? `Paired: this node takes calls of ${escapeInvisible(name)} while haft nodes start runs.`
            : NOT_PAIRED,
        );
        return isAgreed ? 0 : 1;
      } finally {
        await bus.close();
      }
    } finally {
      release?.();
      await opened.close();
    }
  });
}
