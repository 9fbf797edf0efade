import { didYouMean, nearestNames } from "@haft/utils";
import { commandError } from "../../errors.ts";

/** In characters. */
const SHORTEST = 6;

/** Finds by id, name or unique id prefix. */
export function findNamed<T extends { id: string; name: string }>(
  word: string,
  all: readonly T[],
  what: "node" | "host",
): T {
  const exact = all.find(({ id }) => id === word);
  if (exact !== undefined) return exact;
  const named = all.filter(({ name }) => name === word);
  const begun = word.length < SHORTEST ? [] : all.filter(({ id }) => id.startsWith(word));
  const [only, other] = named.length > 0 ? named : begun;
  if (only !== undefined && other === undefined) return only;
  if (only !== undefined) {
    const ids = (named.length > 0 ? named : begun).map(({ id }) => id).toSorted();
    throw commandError(
      "NODE_AMBIGUOUS",
      `${ids.length} ${what}s match ${JSON.stringify(word)}: ${ids.join(", ")}.`,
      {
        fix: `Name the ${what} by its id.`,
        details: { ids },
      },
    );
  }
  const names = all.map(({ name }) => name);
  const near = didYouMean(nearestNames(word, names));
  const there =
    names.length === 0
      ? `No ${what} is known.`
      : `There ${names.length === 1 ? "is" : "are"} ${names.join(", ")}.`;
  throw commandError(
    "NODE_UNKNOWN",
    `No ${what} has the id or name ${JSON.stringify(word)}.${near} ${there}`,
    {
      fix: `\`haft ${what === "node" ? "nodes list" : "nodes hosts"}\` shows the known ${what}s.`,
      details: { names },
    },
  );
}
