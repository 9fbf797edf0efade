import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NATS_SERVER } from "../packages/store/test/nats/support/nats-server.ts";
import { playGuide } from "../scripts/lib/nodes-guide.ts";
import { haftCommand } from "./support/build-under-test.ts";

// What the guide to nodes says to type is typed, on the terminals of two users, beside a real server.

test.skipIf(NATS_SERVER === undefined)("the guide leads from nothing to a called node", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-nodes-guide-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const guide = readFileSync(join(import.meta.dirname, "../docs/guides/nodes.md"), "utf8");
  const options = { folder, haft: haftCommand, natsServer: NATS_SERVER! };
  const { transcript, problems } = await playGuide(guide, options);
  expect(problems).toEqual([]);
  for (const line of [
    "Nobody is in the pantry.",
    "two eggs, a cup of milk",
    "in the kitchen",
    "Paired: this node accepts calls of desk while haft nodes start runs.",
    "kitchen is revoked",
  ])
    expect(transcript).toContain(`\n${line}`);
  // Of a server with these permissions nothing has to be said.
  expect(transcript).not.toContain("has no permissions");
});
