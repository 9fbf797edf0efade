import { membersOf, nameOf } from "../outgoing/members-of.ts";
import type { HistoryWords } from "../outgoing/mend.ts";
import { resultOf } from "./anthropic-words.ts";

/** Conversations of the Messages API: answers are blocks of the next message of the user, before anything else there. */
export const anthropicHistory: HistoryWords<object> = {
  ids: /^[\w-]{1,64}$/,
  calls: (message) =>
    blocksOf(message, "assistant")
      .filter((block) => isOf(block, "tool_use"))
      .map((block) => ({ id: membersOf(block)["id"], name: nameOf(membersOf(block)["name"]) })),
  withIds(message, ids) {
    let next = 0;
    const content = blocksOf(message, "assistant").map((block) =>
      isOf(block, "tool_use") ? { ...membersOf(block), id: ids[next++] } : block,
    );
    return { ...message, content };
  },
  results: (message) =>
    blocksOf(message, "user")
      .filter((block) => isOf(block, "tool_result"))
      .map((block) => ({ id: membersOf(block)["tool_use_id"], name: "", kept: block })),
  withoutResults(message) {
    const content = blocksOf(message, "user").filter((block) => !isOf(block, "tool_result"));
    return content.length === 0 ? undefined : { ...message, content };
  },
  answers: (slots) => [
    {
      role: "user",
      content: slots.map(({ id, kept, made }) =>
        made === undefined ? { ...(kept as object), tool_use_id: id } : resultOf(made),
      ),
    },
  ],
  orphans: (results) => ({
    role: "user",
    content: results.flatMap(({ id, kept }) => {
      const { content } = membersOf(kept);
      const blocks: unknown[] = Array.isArray(content)
        ? content
        : nameOf(content) === ""
          ? []
          : [{ type: "text", text: content }];
      return [{ type: "text", text: `[A result without its call (${String(id)})]` }, ...blocks];
    }),
  }),
};

function blocksOf(message: object, role: string): readonly unknown[] {
  const { role: whose, content } = membersOf(message);
  return whose === role && Array.isArray(content) ? content : [];
}

function isOf(block: unknown, type: string): boolean {
  return membersOf(block)["type"] === type;
}
