import { describe, expect, test } from "vitest";
import { takeOverEachOther } from "./soak/two-hosts.ts";
import { NATS_SERVER } from "./support/nats-server.ts";

const seed = Number(process.env["HAFT_SEED"] ?? 7);

describe.skipIf(NATS_SERVER === undefined)("two hosts on one NATS server", () => {
  test("take over from each other: killed, stopped, closed, and their server killed", async () => {
    const counts = await takeOverEachOther(4, seed);
    expect(counts).toMatchObject({ takeOvers: 4, lost: 0, "run twice": 0, unrecorded: 0, invented: 0 });
    expect(counts.unknown).toBeGreaterThanOrEqual(counts.conflicts);
  });
});
