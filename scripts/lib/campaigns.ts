import { availableParallelism } from "node:os";
import { crashRounds } from "../../packages/haft/test/durability/crash/crash-rounds.ts";
import { killHosts } from "../../packages/host/test/contained/soak/kills.ts";
import { raceContained } from "../../packages/host/test/contained/soak/races.ts";
import { hitWindows } from "../../packages/host/test/contained/soak/windows.ts";
import { playFleets } from "../../packages/nodes/test/fleet/play-fleets.ts";
import { streamOutput } from "../../packages/nodes/test/streams/remote/remote-setup.ts";
import { fuzz } from "../../packages/tools-fs/test/fuzz/patch-fuzz.ts";
import { OPERATIONS, race } from "../../packages/workspace/test/race/boundary-race.ts";

export interface Campaign {
  /** States a passed campaign's property in one line. */
  shows: string;
  /** The number of consecutive seeds in a round; default 1. */
  seeds?: number;
  /** @throws if a property fails */
  round: (seed: number) => Promise<void>;
}

/** Limits a round's cases, so that the time is checked about every minute. */
const RACES = 5_000;
const PATCHES = 50_000;
const FLEETS = 1_000;
/** Fleets of twenty nodes and 2,000 sessions. */
const LARGE_FLEETS = 5;

export const campaigns: Readonly<Record<string, Campaign>> = {
  "boundary-race": {
    shows: "while another process swaps a folder for a link out, no operation reaches outside",
    round: raceAll,
  },
  crash: {
    shows:
      "hosts, runners and whoever answers are killed at any point of a conversation: no finished call is lost, none runs twice",
    round: crash,
  },
  "patch-fuzz": {
    shows: "random patches and edits apply as known or leave no trace; diffs are true; undo restores",
    round: fuzzPatches,
  },
  contained: {
    shows:
      "while contained commands swap whatever Haft mounts, mends or moves, and when hosts are killed, nothing is lost, left or written outside",
    round: contain,
  },
  fleet: {
    shows:
      "three hosts, five nodes and fifty sessions on a clock of their own, whatever fails: no call runs twice, none is lost, no lease is held by two",
    seeds: FLEETS,
    round: playFleet,
  },
  "node-output": {
    shows:
      "a gigabyte of output of a node comes whole to a host that stands still for 15 seconds, in bounded memory",
    round: streamGigabyte,
  },
};

async function raceAll(): Promise<void> {
  let escapes = 0;
  const report = async (operation: string, unsafe: boolean): Promise<void> => {
    const result = await race(operation, RACES, unsafe);
    if (!unsafe) escapes += result.escapes;
    const refused = Object.entries(result.refused).map(([code, times]) => `${code} ${times}`);
    console.log(
      `${result.operation.padEnd(26)} ${String(result.attempts).padStart(7)} attempts` +
        ` ${String(result.done).padStart(7)} done ${String(result.escapes).padStart(6)} escapes   ${refused.join(", ")}`,
    );
  };
  for (const operation of OPERATIONS) await report(operation, false);
  // The control uses check-then-use.
  for (const operation of ["read", "write"]) await report(operation, true);
  if (escapes > 0) throw new Error(`${escapes} ESCAPES`);
}

/** Ten rounds have 20,000 races, 200 kills, and 200 times that the user unmasks git's settings. */
async function contain(seed: number): Promise<void> {
  console.log(JSON.stringify(await raceContained(2_000, seed)));
  console.log(JSON.stringify(await hitWindows(20)));
  let state = seed >>> 0;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  console.log(JSON.stringify(await killHosts(20, random)));
}

/** Streams a gigabyte under a limit of two. */
async function streamGigabyte(): Promise<void> {
  const end = await streamOutput(1024 ** 3, 15_000);
  console.log(JSON.stringify(end));
  if (!end.isWhole || end.dropped > 0) throw new Error("NOT ALL OF IT CAME");
  if (end.mostMb > 400) throw new Error(`THE HOST USED ${end.mostMb} MIB`);
}

async function crash(seed: number): Promise<void> {
  for (const [what, times] of Object.entries(await crashRounds(200, seed)))
    console.log(`${what.padEnd(30)} ${String(times).padStart(5)}`);
}

/** Runs a share on each processor, and prints the first failed seed's trace. */
async function playFleet(seed: number): Promise<void> {
  const shares = availableParallelism();
  const shareOf = (all: number, at: number) =>
    Math.floor((all * (at + 1)) / shares) - Math.floor((all * at) / shares);
  const played = await Promise.all(
    Array.from({ length: shares }, (_, at) =>
      playFleets({
        seed: seed + Math.floor((FLEETS * at) / shares),
        small: shareOf(FLEETS, at),
        large: shareOf(LARGE_FLEETS, at),
      }),
    ),
  );
  const counts: Record<string, number> = {};
  for (const [what, times] of played.flatMap((one) => Object.entries(one.counts)))
    counts[what] = (counts[what] ?? 0) + times;
  for (const [what, times] of Object.entries(counts))
    console.log(`${what.padEnd(40)} ${String(times).padStart(8)}`);
  const broken = played.flatMap((one) => one.broken);
  const [first] = broken;
  if (first === undefined) return;
  const again = { seed: first.seed, small: 0, large: 0, [first.size]: 1, trace: true };
  await playFleets(again, (text) => process.stdout.write(text));
  throw new Error(
    broken.map(({ seed: at, size, what }) => `${size}, seed ${at}: ${what.join("; ")}`).join("\n"),
  );
}

async function fuzzPatches(seed: number): Promise<void> {
  const counts = await fuzz(PATCHES, seed);
  for (const [what, times] of Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b)))
    console.log(`${what.padEnd(44)} ${String(times).padStart(7)}`);
}

/** A hundred rounds have 100,000 items; distant seeds give each round different items. */
