import type { Answer } from "../contract/invocation.ts";
import { nodesError } from "../errors.ts";
import type { Frame } from "./frame.ts";
import type { HostWay } from "./streams/host-way.ts";

/** Questions in a row that may stay without an answer. */
const MOST_MISSES = 3;
/** Bytes of a piece of an answer that is not its last. */
const LEAST_PIECE = 64 * 1024;

/** All bytes of an answer, those that did not fit into its message fetched piece by piece. */
export async function wholeAnswer(
  way: Pick<HostWay, "ask">,
  { head, body }: Frame,
  { id, mostBytes, pollMs }: { id: string; mostBytes: number; pollMs: number },
): Promise<Answer> {
  const total = head.total ?? body.length;
  if (!Number.isSafeInteger(total) || total < body.length || total > mostBytes)
    throw nodesError("NODE_ANSWER_INVALID", `The answer has ${total} bytes, and ${mostBytes} are the most.`);
  const pieces = [body];
  let length = body.length;
  for (let misses = 0; length < total;) {
    const reply = await way.ask({ op: "pull", id, left: pollMs, from: length }, pollMs);
    const piece = typeof reply === "object" ? reply.body : Buffer.alloc(0);
    if (piece.length > 0 && piece.length < Math.min(LEAST_PIECE, total - length))
      throw nodesError(
        "NODE_ANSWER_INVALID",
        "The node sends its answer in smaller pieces than it needs to.",
      );
    if (piece.length > 0) {
      misses = 0;
      pieces.push(piece);
      length += piece.length;
    } else if (++misses > MOST_MISSES || reply === "unknown")
      throw nodesError("NODE_OUTCOME_UNKNOWN", "The call was sent, and not all of its answer came.");
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString()) as Answer;
  } catch {
    throw nodesError("NODE_ANSWER_INVALID", "The answer of the node is no JSON.");
  }
}
