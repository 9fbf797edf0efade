import { expect, test } from "vitest";
import { crashRounds } from "./crash-rounds.ts";

/** `npm run soak -- crash` has 200. */
const KILLS = 4;

test.runIf(process.platform === "linux")(
  "loses no finished call and repeats none after kills at any point of a conversation",
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const count = await crashRounds(KILLS, seed).catch((thrown: unknown) => {
      throw new Error(`with the seed ${seed}`, { cause: thrown });
    });
    expect(count).toMatchObject({ kills: KILLS, "finished calls lost": 0, "run twice": 0 });
  },
);
