/** ` Did you mean "a" or "b"?`, or nothing. */
export function didYouMean(candidates: readonly string[] = []): string {
  if (candidates.length === 0) return "";
  return ` Did you mean ${candidates.map((candidate) => JSON.stringify(candidate)).join(" or ")}?`;
}
