import { membersOf } from "@haft/core/internal";
import type { HistoryWords } from "../outgoing/mend.ts";
import { nameOf } from "../outgoing/name-of.ts";
import { geminiAnswers, type ImagePlace } from "./gemini-words.ts";

/** Conversations of Gemini: answers are parts of the next content of the user, in the order of the calls. */
export function geminiHistory(place: ImagePlace): HistoryWords<object> {
  return {
    ids: /^[\x20-\x7e]{1,256}$/,
    idsAreOptional: true,
    calls: (content) => partsOf(content, "functionCall").map(named),
    withIds(content, ids) {
      let next = 0;
      const parts = allParts(content).map((part) => {
        const { functionCall: call } = membersOf(part);
        return call === undefined
          ? part
          : { ...membersOf(part), functionCall: { ...membersOf(call), id: ids[next++] } };
      });
      return { ...content, parts };
    },
    results: (content) =>
      partsOf(content, "functionResponse").map((response) => ({ ...named(response), kept: response })),
    withoutResults(content) {
      const parts = allParts(content).filter((part) => membersOf(part)["functionResponse"] === undefined);
      return parts.length === 0 ? undefined : { ...content, parts };
    },
    answers: (slots) => [
      {
        role: "user",
        parts: slots.flatMap(({ id, kept, made }): unknown[] =>
          made === undefined
            ? [{ functionResponse: { ...(kept as object), ...(id !== undefined && { id }) } }]
            : geminiAnswers([made], place).parts,
        ),
      },
    ],
    orphans: (results) => ({
      role: "user",
      parts: results.flatMap(({ name, kept }): unknown[] => {
        const { response, parts } = membersOf(kept);
        const { output, error } = membersOf(response);
        const said = nameOf(output ?? error) || (JSON.stringify(response) ?? "");
        return [
          { text: `[A result without its call (of ${name})]\n${said}` },
          ...((Array.isArray(parts) ? parts : []) as unknown[]),
        ];
      }),
    }),
  };
}

function allParts(content: object): readonly unknown[] {
  const { parts } = membersOf(content);
  return Array.isArray(parts) ? parts : [];
}

function partsOf(content: object, key: string): unknown[] {
  return allParts(content).flatMap((part) => {
    const found = membersOf(part)[key];
    return found === undefined || found === null ? [] : [found];
  });
}

function named(part: unknown): { id: unknown; name: string } {
  const { id, name } = membersOf(part);
  return { id, name: nameOf(name) };
}
