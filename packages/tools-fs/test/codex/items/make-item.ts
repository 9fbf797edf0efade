import { damagePatch } from "./damage-patch.ts";
import { damageLines } from "./damage-section.ts";
import { createRandom, type Random } from "./random.ts";
import { makeSources, render, type Source } from "./sources.ts";

/** A small tree and a patch for it. */
export interface Item {
  seed: number;
  files: Readonly<Record<string, string>>;
  patch: string;
}

/** The item of a seed: seven of ten patches are right for their files, the others have faults. */
export function makeItem(seed: number): Item {
  const random = createRandom(Math.imul(seed, 2_654_435_761) ^ 0x5eed);
  const sources = makeSources(random);
  const files = Object.fromEntries(sources.map((source) => [source.path, render(source)]));
  const faulty = random.chance(30);
  const sections = sources.flatMap((source) => {
    const lines = makeSection(random, source, sources);
    return faulty && random.chance(60) ? damageLines(random, lines) : lines;
  });
  const patch = ["*** Begin Patch", ...sections, "*** End Patch"];
  return { seed, files, patch: faulty ? damagePatch(random, patch) : patch.join("\n") };
}

function makeSection(random: Random, source: Source, all: readonly Source[]): string[] {
  const { path } = source;
  const roll = random.below(100);
  if (roll < 6) return [`*** Delete File: ${path}`];
  if (roll < 12) return [`*** Add File: ${random.chance(10) ? path : `new/${path}`}`, ...addedBody(random)];
  const hunks = makeHunks(random, source);
  if (roll >= 20 || hunks.length === 0) {
    if (hunks.length === 0) return [`*** Delete File: ${path}`];
    // The same file again, as the first section leaves it.
    const again = random.chance(4) ? [`*** Update File: ${path}`, "@@", ...added(random)] : [];
    return [`*** Update File: ${path}`, ...hunks, ...again];
  }
  const target = random.chance(15) ? random.pick(all).path : `moved/${path}`;
  return [`*** Update File: ${path}`, `*** Move to: ${target}`, ...hunks];
}

const added = (random: Random): string[] =>
  Array.from({ length: 1 + random.below(2) }, () => `+${random.pick(["new line", "  inner", "", "x"])}`);

const addedBody = (random: Random): string[] => (random.chance(10) ? [] : added(random));

type Change = "keep" | "remove" | "replace" | "insert";

/** Hunks for some changes of single lines, written as models write them. */
function makeHunks(random: Random, { lines }: Source): string[] {
  const changes = lines.map((): Change =>
    random.chance(80) ? "keep" : random.pick(["remove", "replace", "replace", "insert"]),
  );
  const context = random.pick([0, 1, 2, 3, 3, 3]);
  const groups: number[][] = [];
  for (const [index, change] of changes.entries()) {
    if (change === "keep") continue;
    const last = groups.at(-1);
    if (last !== undefined && index - (last.at(-1) as number) <= 2 * context + 1) last.push(index);
    else groups.push([index]);
  }
  let end = 0;
  return groups.flatMap((group) => {
    const from = Math.max(end, (group[0] as number) - context);
    const to = Math.min(lines.length, (group.at(-1) as number) + context + 1);
    end = to;
    const body: string[] = [];
    for (let index = from; index < to; index += 1) {
      const line = lines[index] as string;
      const change = changes[index] as Change;
      if (change === "keep" || change === "insert")
        body.push(line === "" && random.chance(30) ? "" : ` ${line}`);
      else body.push(`-${line}`);
      if (change === "replace" || change === "insert")
        for (let count = random.chance(20) ? 2 : 1; count > 0; count -= 1)
          body.push(`+${/^\s*/.exec(line)?.[0] ?? ""}new ${index}`);
    }
    const pinned = to === lines.length && random.chance(20) ? ["*** End of File"] : [];
    // A hunk that only inserts, below an anchor or at the end.
    if (random.chance(4)) return [anchorFor(random, lines, from), ...added(random)];
    return [anchorFor(random, lines, from), ...body, ...pinned];
  });
}

function anchorFor(random: Random, lines: readonly string[], from: number): string {
  const above = lines.slice(0, from).filter((line) => line.trim() !== "");
  if (above.length === 0 || random.chance(45)) return "@@";
  const opening = above.findLast((line) => /^\S.*[{:]$/.test(line)) ?? above.at(-1);
  return `@@ ${random.chance(70) ? opening : random.pick(above)}`;
}
