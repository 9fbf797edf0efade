import { escapeInvisible } from "@haft/core/internal";
import { textTable } from "@haft/policy";
import { whoAgrees } from "../node/agree-on-code.ts";
import { commandForPrograms, offerRows } from "../node/describe-node.ts";
import { interruptible } from "../plugins/interruptible.ts";
import { findNamed } from "./find-named.ts";
import { oneNode } from "./list.ts";
import { type NodesValues, openNodes } from "./open-nodes.ts";

const FIND_MS = 1_000;
/** Milliseconds for the answer of whoever compares the codes. */
const ANSWER_MS = 5 * 60_000;

/** Begins to pair with a node that waits for it, and has a person compare the codes. Resolves to the exit code. */
export async function pairNode(values: NodesValues, words: readonly string[]): Promise<number> {
  const { json = false } = values;
  const word = oneNode(words, "pair");
  const agrees = whoAgrees("haft nodes pair", values["read-code"] ?? false);
  return interruptible(json, async (leaving) => {
    const opened = await openNodes(values, "connected");
    try {
      const { nodes, transport } = opened;
      // One of this id is asked itself: nobody else has to be there.
      const id = /^U[A-Z2-7]{55}$/.test(word)
        ? word
        : findNamed(word, await transport.discover(FIND_MS), "node").id;
      const offer = await nodes.pair(id);
      const { node, declaration, code } = offer;
      const { name } = node;
      const { commands, workspaces } = declaration;
      if (json)
        console.log(
          JSON.stringify({
            code,
            node: { id, name, commands: commands.map(commandForPrograms), workspaces },
          }),
        );
      else {
        const text = [`${name} (${id}) offers:`, ...textTable(offerRows(declaration))]
          .map(escapeInvisible)
          .join("\n");
        console.log(`${text}\n\n  ${code}`);
      }
      const isAgreed = await agrees(code, AbortSignal.any([leaving, AbortSignal.timeout(ANSWER_MS)]));
      leaving.throwIfAborted();
      if (isAgreed) offer.accept();
      if (json) console.log(JSON.stringify({ paired: isAgreed, node: { id, name } }));
      else if (isAgreed)
        console.log(
          `Paired, if the node agreed, too. Nothing of it may be called yet: haft nodes approve ${id.slice(0, 12)}`,
        );
      else
        console.log(
          "Not paired. If the codes differed, somebody was in between: begin again on another network.",
        );
      return isAgreed ? 0 : 1;
    } finally {
      await opened.close();
    }
  });
}
