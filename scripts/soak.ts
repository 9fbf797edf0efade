// Long campaigns: each goes on with new seeds until its time is over, or until something does not hold.
//   npm run soak                                       what there is
//   npm run soak -- NAME [--minutes 10] [--seed N]     one of them, or `all`, each for so long
import { parseArgs } from "node:util";
import { campaigns } from "./lib/campaigns.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(minutes > 0)) throw new Error("--minutes takes a number above 0");
if (!Number.isSafeInteger(seed)) throw new Error("--seed takes a whole number");

const [name] = positionals;
const chosen = name === "all" ? Object.keys(campaigns) : name === undefined ? [] : [name];
const unknown = chosen.find((each) => campaigns[each] === undefined);
if (chosen.length === 0 || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no campaign ${JSON.stringify(unknown)}.\n`);
  for (const [each, { shows }] of Object.entries(campaigns)) console.log(`${each.padEnd(16)} ${shows}`);
  console.log("\nnpm run soak -- NAME [--minutes 10] [--seed N]; `all` runs each for so long");
  process.exitCode = unknown === undefined ? 0 : 2;
}

for (const each of chosen) {
  if (!(await soak(each))) {
    process.exitCode = 1;
    break;
  }
}

/** Runs rounds with successive seeds: the first always completes, and others start only in time. */
async function soak(each: string): Promise<boolean> {
  const until = Date.now() + minutes * 60_000;
  const { round, seeds = 1 } = campaigns[each]!;
  let rounds = 0;
  do {
    const now = seed + rounds * seeds;
    console.log(`=== ${each}, round ${rounds + 1}, seed ${now}`);
    try {
      await round(now);
    } catch (error) {
      console.error(error);
      console.error(`FAILED. Again: npm run soak -- ${each} --minutes 0.01 --seed ${now}`);
      return false;
    }
    rounds++;
  } while (Date.now() < until);
  console.log(
    `--- ${each}: ${rounds} rounds, seeds ${seed} to ${seed + rounds * seeds - 1}: everything held`,
  );
  return true;
}
