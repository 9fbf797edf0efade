import { asRecord } from "@haft/utils";
import { readName } from "../outgoing/read-name.ts";
import type { HistoryFormat } from "../outgoing/repair-history.ts";
import { geminiAnswers, type ImageLocation } from "./gemini-format.ts";

/** Answers are parts of the user's next content. */
export function geminiHistory(place: ImageLocation): HistoryFormat<object> {
  return {
    ids: /^[\x20-\x7e]{1,256}$/,
    idsAreOptional: true,
    calls: (content) => partsOf(content, "functionCall").map(named),
    withIds(content, ids) {
      let next = 0;
      const parts = allParts(content).map((part) => {
        const { functionCall: call } = asRecord(part);
        return call === undefined
          ? part
          : { ...asRecord(part), functionCall: { ...asRecord(call), id: ids[next++] } };
      });
      return { ...content, parts };
    },
    results: (content) =>
      partsOf(content, "functionResponse").map((response) => ({ ...named(response), original: response })),
    withoutResults(content) {
      const parts = allParts(content).filter((part) => asRecord(part)["functionResponse"] === undefined);
      return parts.length === 0 ? undefined : { ...content, parts };
    },
    answers: (slots) => [
      {
        role: "user",
        parts: slots.flatMap(({ id, original, generated }): unknown[] =>
          generated === undefined
            ? [{ functionResponse: { ...(original as object), ...(id !== undefined && { id }) } }]
            : geminiAnswers([generated], place).parts,
        ),
      },
    ],
    orphans: (results) => ({
      role: "user",
      parts: results.flatMap(({ name, original }): unknown[] => {
        const { response, parts } = asRecord(original);
        const { output, error } = asRecord(response);
        const said = readName(output ?? error) || (JSON.stringify(response) ?? "");
        return [
          { text: `[A result without its call (of ${name})]\n${said}` },
          ...((Array.isArray(parts) ? parts : []) as unknown[]),
        ];
      }),
    }),
  };
}

function allParts(content: object): readonly unknown[] {
  const { parts } = asRecord(content);
  return Array.isArray(parts) ? parts : [];
}

function partsOf(content: object, key: string): unknown[] {
  return allParts(content).flatMap((part) => {
    const found = asRecord(part)[key];
    return found === undefined || found === null ? [] : [found];
  });
}

function named(part: unknown): { id: unknown; name: string } {
  const { id, name } = asRecord(part);
  return { id, name: readName(name) };
}
