/** What becomes of a message. */
export type Fate = "comes" | "is lost" | "comes twice" | "comes late";

/** Fates drawn by a seed: so many in a hundred do not simply come. */
export function createFateGenerator(seed: number, percent: number): () => Fate {
  let state = seed >>> 0;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return () =>
    random(100) >= percent ? "comes" : (["is lost", "comes twice", "comes late"] as const)[random(3)]!;
}
