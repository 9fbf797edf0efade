import { type ContentBlock, formatToolResult, HaftError } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { ModelMessage } from "ai";
import { watchCallEnd } from "./decide-pending.ts";
import { resultPart, isWaiting } from "./result-part.ts";
import type { CallAnswer } from "./run-calls.ts";

interface Known {
  content?: readonly ContentBlock[];
  head?: string;
}

export async function settleWaiting(
  messages: readonly ModelMessage[],
  session: Session,
  signal: AbortSignal,
): Promise<ModelMessage[]> {
  return Promise.all(
    messages.map(async (message): Promise<ModelMessage> => {
      if (message.role !== "tool" || !message.content.some(isWaiting)) return message;
      const content = message.content.map(async (part) => {
        if (!isWaiting(part)) return part;
        const output = await settled(session, part.toolCallId, signal);
        return output === undefined ? part : resultPart(part, output);
      });
      return { ...message, content: await Promise.all(content) };
    }),
  );
}

/** Returns nothing for a waiting call or unknown outcome. */
async function settled(
  session: Session,
  toolCallId: string,
  signal: AbortSignal,
): Promise<CallAnswer["output"] | undefined> {
  const find = () =>
    session.ledger().find((each) => each.toolCallId === toolCallId || each.answeredAs === toolCallId);
  const running = find();
  if (running?.status === "executing") {
    const ended = watchCallEnd(session, running.toolCallId);
    await ended.within(signal).finally(ended.stop);
  }
  const entry = find();
  if (entry === undefined || entry.status === "pending" || entry.status === "executing") return undefined;
  const live = entry.result as Known | undefined;
  const known = live?.content === undefined ? await recorded(session, entry.toolCallId) : live;
  const failed =
    entry.outcome === undefined || entry.outcome === "ok"
      ? ""
      : `${entry.outcome} ${entry.code ?? ""}`.trim();
  const words =
    known?.content === undefined ? known?.head : formatToolResult({ content: known.content }, "plain");
  const value = [failed && `(${failed})`, words].filter(Boolean).join("\n") || "(it has ended)";
  return {
    type: failed === "" ? "text" : "error-text",
    value: `The call waited for approval. It was decided and ended:\n${value}`,
  };
}

async function recorded(session: Session, toolCallId: string): Promise<Known | undefined> {
  try {
    return (await session.findRecord(toolCallId))?.result;
  } catch (thrown) {
    if (HaftError.is(thrown)) return undefined;
    throw thrown;
  }
}
