import { membersOf, nameOf } from "../outgoing/members-of.ts";
import type { HistoryWords } from "../outgoing/mend.ts";
import { chatAnswers } from "./chat.ts";

/** Conversations of chat completions: answers are messages of their own. */
export const chatHistory: HistoryWords<object> = {
  calls: (message) =>
    callsOf(message).map((call) => {
      const { id, function: asked, custom } = membersOf(call);
      return { id, name: nameOf(membersOf(asked ?? custom)["name"]) };
    }),
  withIds: (message, ids) => ({
    ...message,
    tool_calls: callsOf(message).map((call, index) => ({ ...membersOf(call), id: ids[index] })),
  }),
  results(message) {
    const { role, tool_call_id: id, name } = membersOf(message);
    return role === "tool" ? [{ id, name: nameOf(name), kept: message }] : [];
  },
  withoutResults: () => undefined,
  answers(slots) {
    const made = chatAnswers(slots.flatMap((slot) => slot.made ?? []));
    const tools: object[] = slots.map(({ id, kept }) =>
      kept === undefined ? made.shift()! : { ...kept, tool_call_id: id },
    );
    // Images that are shown here come behind the last answer.
    return [...tools, ...made];
  },
  orphans: (results) => ({
    role: "user",
    content: results
      .map(
        ({ id, kept }) => `[A result without its call (${String(id)})]\n${said(membersOf(kept)["content"])}`,
      )
      .join("\n\n"),
  }),
};

function callsOf(message: object): readonly unknown[] {
  const { role, tool_calls: calls } = membersOf(message);
  return role === "assistant" && Array.isArray(calls) ? calls : [];
}

function said(content: unknown): string {
  if (!Array.isArray(content)) return nameOf(content);
  return content.map((part) => nameOf(membersOf(part)["text"])).join("\n\n");
}
