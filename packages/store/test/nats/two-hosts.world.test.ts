import { describe, expect, test } from "vitest";
import { takeOverEachOther } from "./soak/two-hosts.ts";
import { NATS_SERVER } from "./support/nats-server.ts";

/** Each takes six seconds or so. */
const times = process.env["HAFT_SOAK"] === undefined ? 4 : 40;
/** Only for what hangs: ten times what all of them take. */
const HANG_MS = times * 60_000;
const seed = Number(process.env["HAFT_SEED"] ?? 7);

describe.skipIf(NATS_SERVER === undefined)("two hosts on one NATS server", () => {
  test(
    "take over from each other when a host is killed, paused or closed, or the server is killed",
    async () => {
      const counts = await takeOverEachOther(times, seed);
      process.stdout.write(`${JSON.stringify(counts)}\n`);
      expect(counts).toMatchObject({ takeOvers: times, lost: 0, "run twice": 0, unrecorded: 0, invented: 0 });
      expect(counts.unknown).toBeGreaterThanOrEqual(counts.conflicts);
    },
    HANG_MS,
  );
});
