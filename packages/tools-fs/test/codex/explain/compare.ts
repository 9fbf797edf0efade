import type { Answer } from "../ask/ask-codex.ts";
import type { HaftAnswer } from "../ask/ask-haft.ts";
import type { Item } from "../items/make-item.ts";
import { linesOf, replay, type Replay, type ReplayedLine } from "./replay.ts";
import type { RowName } from "./rows.ts";
import { whyCodexRefuses } from "./why-codex-refuses.ts";
import { whyHaftRefuses } from "./why-haft-refuses.ts";
import { whyTreesDiffer } from "./why-trees-differ.ts";

/** What became of one item. */
export type Verdict =
  | { kind: "same" }
  | { kind: "both-refuse" }
  | { kind: "explained"; rows: readonly RowName[] }
  | { kind: "unexplained"; why: string };

type Tree = Readonly<Record<string, string>>;

/** Compares two answers, and explains each difference by the rows whose conditions hold for this very item. */
export function compare(item: Item, codex: Answer, haft: HaftAnswer): Verdict {
  if (codex.tree === undefined && haft.tree === undefined) return { kind: "both-refuse" };
  if (haft.tree === undefined)
    return verdict(whyHaftRefuses(item, codex, haft), "Haft refuses what Codex applies");
  if (codex.tree !== undefined && isSame(codex.tree, haft.tree)) return { kind: "same" };
  // Whatever Codex says, Haft's tree has to be what its own report says.
  const ours = replay(item, haft, "ours");
  const problem = ours.problem ?? unlike(haft.tree, ours);
  if (problem !== undefined) return { kind: "unexplained", why: `not as reported: ${problem}` };
  if (codex.tree === undefined)
    return verdict(whyCodexRefuses(item, codex.said, ours), "Haft applies what Codex refuses");
  const theirs = replay(item, haft, "theirs");
  return verdict(
    whyTreesDiffer(item, { codex: codex.tree, haft: haft.tree }, { ours, theirs }),
    "the trees differ",
  );
}

function verdict(names: readonly RowName[] | undefined, why: string): Verdict {
  return names === undefined || names.length === 0
    ? { kind: "unexplained", why }
    : { kind: "explained", rows: [...new Set(names)].toSorted() };
}

function isSame(one: Tree, other: Tree): boolean {
  const paths = Object.keys(one);
  return paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path]);
}

/** Where a tree is not what was replayed, but for line endings and the indentation that was said to be adopted. */
function unlike(tree: Tree, { tree: replayed }: Replay): string | undefined {
  if (replayed.size !== Object.keys(tree).length) return "other files";
  for (const [path, expected] of replayed) {
    const found = tree[path];
    if (found === undefined) return `${path} is missing`;
    const lines = linesOf(found);
    if (lines.length !== expected.length) return `${path} has ${lines.length} lines, not ${expected.length}`;
    const wrong = lines.findIndex((line, index) => !isLine(line, expected[index] as ReplayedLine));
    if (wrong >= 0) return `${path}, line ${wrong + 1}`;
  }
  return undefined;
}

const isLine = (found: string, { text, adopted }: ReplayedLine): boolean =>
  found === text || (adopted && found.trimStart() === text.trimStart());
