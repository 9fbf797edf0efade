import { askCodex, askTogether, type Answer } from "./ask/ask-codex.ts";
import { askHaft, type HaftAnswer } from "./ask/ask-haft.ts";
import { compare } from "./explain/compare.ts";
import { replay } from "./explain/replay.ts";
import type { RowName } from "./explain/rows.ts";
import { type Item, makeItem } from "./items/make-item.ts";

export interface Comparison {
  items: number;
  same: number;
  bothRefuse: number;
  /** Items to which a row applies; one item may have several. */
  rows: Partial<Record<RowName, number>>;
  unexplained: readonly string[];
}

/** Items asked about in one go. */
const SLICE = 500;

/** Asks Codex and Haft about so many items, from a seed on. */
export async function compareWithCodex(from: number, count: number): Promise<Comparison> {
  const result = {
    items: count,
    same: 0,
    bothRefuse: 0,
    rows: {} as Partial<Record<RowName, number>>,
    unexplained: [] as string[],
  };
  for (let at = 0; at < count; at += SLICE) {
    const items = Array.from({ length: Math.min(SLICE, count - at) }, (_, index) =>
      makeItem(from + at + index),
    );
    for (const { item, codex, haft } of await askBoth(items)) {
      const verdict = compare(item, codex, haft);
      if (verdict.kind === "same") result.same += 1;
      else if (verdict.kind === "both-refuse") result.bothRefuse += 1;
      else if (verdict.kind === "unexplained")
        result.unexplained.push(describe(item, codex, haft, verdict.why));
      else for (const name of verdict.rows) result.rows[name] = (result.rows[name] ?? 0) + 1;
    }
  }
  return result;
}

interface Asked {
  item: Item;
  codex: Answer;
  haft: HaftAnswer;
}

async function askBoth(items: readonly Item[]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const item of items) asked.push({ item, haft: await askHaft(item), codex: { said: "" } });
  // What is likely to be refused would take others with it.
  const isLikely = ({ item, haft }: Asked): boolean =>
    haft.tree !== undefined && replay(item, haft, "theirs").problem === undefined;
  const likely = asked.filter(isLikely);
  const others = asked.filter((each) => !likely.includes(each));
  const answers = [
    ...(await askTogether(likely.map(({ item }) => item))),
    ...(await askCodex(others.map(({ item }) => item))),
  ];
  for (const [index, each] of [...likely, ...others].entries()) each.codex = answers[index] as Answer;
  return asked;
}

/** All that is needed to see what happened; the seed makes the item again. */
function describe(item: Item, codex: Answer, haft: HaftAnswer, why: string): string {
  const paths = new Set([
    ...Object.keys(item.files),
    ...Object.keys(codex.tree ?? {}),
    ...Object.keys(haft.tree ?? {}),
  ]);
  const files = [...paths].flatMap((path) => {
    const [theirs, ours] = [codex.tree?.[path], haft.tree?.[path]];
    if (codex.tree !== undefined && haft.tree !== undefined && theirs === ours) return [];
    return [
      `${path}\n  before ${JSON.stringify(item.files[path])}`,
      `  codex  ${JSON.stringify(theirs)}`,
      `  haft   ${JSON.stringify(ours)}`,
    ];
  });
  return [
    `item ${item.seed}: ${why}`,
    item.patch,
    `codex: ${codex.said.trim()}`,
    `haft: ${haft.said.slice(0, 800)}`,
    ...files,
  ].join("\n");
}
