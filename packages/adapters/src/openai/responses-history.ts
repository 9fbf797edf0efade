import { membersOf } from "@haft/core/internal";
import { type HistoryWords, type PastResult, requireList } from "../outgoing/mend.ts";
import { nameOf } from "../outgoing/name-of.ts";
import { outputOf } from "./responses.ts";

/**
 * Conversations of the Responses API, whose items are many for one message: those that follow each other and that the model made are one
 * group here, and so are answers.
 */
export const responsesHistory: HistoryWords<readonly object[]> = {
  ids: /^[\w.:-]{1,64}$/,
  calls: (group) =>
    group.filter(isCall).map((item) => {
      const { call_id: id, name } = membersOf(item);
      return { id, name: nameOf(name) };
    }),
  withIds(group, ids) {
    let next = 0;
    return group.map((item) => (isCall(item) ? { ...item, call_id: ids[next++] } : item));
  },
  results: (group) =>
    group.filter(isResult).map((item) => ({ id: membersOf(item)["call_id"], name: "", kept: item })),
  withoutResults: () => undefined,
  answers: (slots) => [
    slots.map(({ id, kept, made }) =>
      made === undefined
        ? { ...(kept as object), call_id: id }
        : { type: "function_call_output", call_id: id, output: outputOf(made.content) },
    ),
  ],
  orphans: (results) => [
    {
      role: "user",
      content: results.flatMap(({ id, kept }: PastResult) => {
        const { output } = membersOf(kept);
        const parts: unknown[] = Array.isArray(output)
          ? output
          : [{ type: "input_text", text: nameOf(output) }];
        return [{ type: "input_text", text: `[A result without its call (${String(id)})]` }, ...parts];
      }),
    },
  ],
};

/** Items that go together, in their order. */
export function grouped(items: readonly object[]): (readonly object[])[] {
  requireList(items);
  const groups: object[][] = [];
  let kind = "";
  for (const item of items) {
    const next = isResult(item) ? "results" : isOfModel(item) ? "model" : "";
    if (next !== "" && next === kind) groups.at(-1)!.push(item);
    else groups.push([item]);
    kind = next;
  }
  return groups;
}

function isCall(item: object): boolean {
  return /^(?:function|custom_tool)_call$/.test(nameOf(membersOf(item)["type"]));
}

function isResult(item: object): boolean {
  return /^(?:function|custom_tool)_call_output$/.test(nameOf(membersOf(item)["type"]));
}

/** What a model thought, said and called in one answer. */
function isOfModel(item: object): boolean {
  const { type, role } = membersOf(item);
  return isCall(item) || type === "reasoning" || role === "assistant";
}
