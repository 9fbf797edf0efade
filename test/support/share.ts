/** Everything is tried, however long it takes: `npm run soak`. */
const isSoak = process.env["HAFT_SOAK"] !== undefined;

/** Every n-th of these, from a random one on; all of them in a long campaign. What fails must name its case. */
export function pickShare<Case>(all: readonly Case[], every: number): Case[] {
  const start = Math.floor(Math.random() * every);
  return all.filter((_, index) => isSoak || index % every === start);
}

/** How often something random is tried: one n-th of the whole, with new values every time; all of it in a long campaign. */
export function scaleRuns(whole: number, every: number): number {
  return isSoak ? whole : Math.ceil(whole / every);
}
