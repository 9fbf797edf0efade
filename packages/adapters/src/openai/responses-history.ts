import { asRecord } from "@haft/utils";
import { readName } from "../outgoing/read-name.ts";
import { type HistoryFormat, type PastResult, requireList } from "../outgoing/repair-history.ts";
import { toResponsesOutput } from "./responses.ts";

/** One message of the Responses API has many items: consecutive items of the model form one group, and so do answers. */
export const responsesHistory: HistoryFormat<readonly object[]> = {
  ids: /^[\w.:-]{1,64}$/,
  calls: (group) =>
    group.filter(isCall).map((item) => {
      const { call_id: id, name } = asRecord(item);
      return { id, name: readName(name) };
    }),
  withIds(group, ids) {
    let next = 0;
    return group.map((item) => (isCall(item) ? { ...item, call_id: ids[next++] } : item));
  },
  results: (group) =>
    group.filter(isResult).map((item) => ({ id: asRecord(item)["call_id"], name: "", original: item })),
  withoutResults: () => undefined,
  answers: (slots) => [
    slots.map(({ id, original, generated }) =>
      generated === undefined
        ? { ...(original as object), call_id: id }
        : { type: "function_call_output", call_id: id, output: toResponsesOutput(generated.content) },
    ),
  ],
  orphans: (results) => [
    {
      role: "user",
      content: results.flatMap(({ id, original }: PastResult) => {
        const { output } = asRecord(original);
        const parts: unknown[] = Array.isArray(output)
          ? output
          : [{ type: "input_text", text: readName(output) }];
        return [{ type: "input_text", text: `[A result without its call (${String(id)})]` }, ...parts];
      }),
    },
  ],
};

export function groupItems(items: readonly object[]): (readonly object[])[] {
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
  return /^(?:function|custom_tool)_call$/.test(readName(asRecord(item)["type"]));
}

function isResult(item: object): boolean {
  return /^(?:function|custom_tool)_call_output$/.test(readName(asRecord(item)["type"]));
}

function isOfModel(item: object): boolean {
  const { type, role } = asRecord(item);
  return isCall(item) || type === "reasoning" || role === "assistant";
}
