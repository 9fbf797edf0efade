// Plays fleets on a clock of their own. Arguments as JSON: see `Given`. The last line it writes is what it found, as JSON.
import { defects } from "./defects.ts";
import { LARGE, type Outcome, play, SMALL } from "./story.ts";
import { enterVirtualTime } from "./virtual-time.ts";
import type { World } from "./world.ts";

/** What is played. */
export interface FleetOptions {
  readonly seed: number;
  /** How many seeds, from that on. */
  readonly small: number;
  readonly large: number;
  /** Plants each defect, and plays so many seeds, or until it is noticed. */
  readonly defects?: number;
  /** Writes what happens. */
  readonly trace?: boolean;
}

/** What was found. */
export interface FleetReport {
  readonly broken: readonly { seed: number; size: string; what: readonly string[] }[];
  readonly counts: Readonly<Record<string, number>>;
  /** By defect: the seeds it took to notice it; 0 where it was not. */
  readonly noticed: Readonly<Record<string, number>>;
  /** Digests of what happened, by seed. */
  readonly happened: readonly string[];
}

const SIZES = { small: SMALL, large: LARGE };
const given = JSON.parse(process.argv[2] ?? "{}") as FleetOptions;
let current: World;
enterVirtualTime(() => current);
const trace: string[] | undefined = given.trace === true ? [] : undefined;

async function playOne(seed: number, size: keyof typeof SIZES): Promise<Outcome> {
  const outcome = await play(seed, SIZES[size], {
    ...(trace && { trace }),
    enter: (world) => (current = world),
  });
  if (trace !== undefined) process.stdout.write(`${trace.splice(0).join("\n")}\n`);
  return outcome;
}

const broken: { seed: number; size: string; what: readonly string[] }[] = [];
const counts: Record<string, number> = {};
const happened: string[] = [];
for (const size of ["small", "large"] as const) {
  for (let seed = given.seed; seed < given.seed + given[size]; seed++) {
    const outcome = await playOne(seed, size);
    for (const [what, times] of Object.entries(outcome.counts)) counts[what] = (counts[what] ?? 0) + times;
    happened.push(outcome.happened);
    if (outcome.broken.length > 0) broken.push({ seed, size, what: outcome.broken.slice(0, 5) });
  }
}
const noticed: Record<string, number> = {};
for (const [what, { plant, isHarmless, from = given.seed }] of Object.entries(defects)) {
  if (given.defects === undefined) break;
  const mend = plant();
  noticed[what] = 0;
  const most = isHarmless === true ? Math.min(5, given.defects) : given.defects;
  for (let tries = 1; tries <= most && noticed[what] === 0; tries++)
    if ((await playOne(from + tries - 1, "small")).broken.length > 0) noticed[what] = tries;
  mend();
}
process.stdout.write(`${JSON.stringify({ broken, counts, noticed, happened } satisfies FleetReport)}\n`);
