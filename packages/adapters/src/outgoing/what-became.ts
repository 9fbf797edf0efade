import { type ContentBlock, text } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { Answered } from "./turn.ts";

/** What the ledger of a session has of a call that a conversation has no answer to. */
export async function whatBecame(
  session: Session,
  id: unknown,
  name: string,
): Promise<Pick<Answered, "content" | "isError">> {
  const entry = session.ledger().findLast(({ toolCallId, answeredAs = toolCallId }) => answeredAs === id);
  if (entry === undefined)
    return error(
      `There is no result: the ledger of this session has no such call of ${name || "a tool"}. It was not made, or not here.`,
    );
  const { status, outcome, result, toolCallId } = entry;
  if (status !== "completed" && status !== "failed")
    return error("There is no result yet: the call waits, or runs.");
  const content =
    contentOf(result) ?? contentOf((await session.recorded(toolCallId).catch(() => undefined))?.result);
  if (content !== undefined) return { content, isError: outcome !== "ok" };
  return error(`The call has ended (${outcome ?? status}), and its result was not kept.`);
}

function contentOf(result: object | undefined): readonly ContentBlock[] | undefined {
  if (result === undefined) return undefined;
  if ("content" in result) return result.content as readonly ContentBlock[];
  return "head" in result ? [text(`${String(result.head)}\n[The rest was not kept.]`)] : undefined;
}

function error(said: string): Pick<Answered, "content" | "isError"> {
  return { content: [text(said)], isError: true };
}
