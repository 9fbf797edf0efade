/** Everything is tried, however long it takes: `npm run soak`. */
const isSoak = process.env["HAFT_SOAK"] !== undefined;

/** Every n-th of these, from a random one on; all of them in a long campaign. What fails must name its case. */
export function shareOf<Case>(all: readonly Case[], every: number): Case[] {
  const start = Math.floor(Math.random() * every);
  return all.filter((_, index) => isSoak || index % every === start);
}
