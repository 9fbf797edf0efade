import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyProject } from "../src/inspect.ts";
import { verifyNode } from "../src/parts/sandbox.ts";
import type { Stage } from "../src/session.ts";
import { isolated, runDemo } from "./run-demo.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "demo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe.skipIf(!isolated).concurrent("the node", () => {
  test("works in a folder of its own, and rings once it is granted", async () => {
    const { code, stdout, leftovers } = await runDemo(["--part", "node"]);
    expect(stdout).toContain("The host approves bell.ring and workspace.project.");
    expect(stdout).toContain("Verified. 6 of 6 hold, 9 calls");
    expect([code, leftovers]).toEqual([0, []]);
  });

  test("Ctrl-C while it works: code 130, nothing left", async () => {
    const run = await runDemo(["--part", "node"], {
      started(child) {
        child.stdout?.on("data", (part: Buffer) => {
          if (part.toString().includes("I run them.")) child.kill("SIGINT");
        });
      },
    });
    expect(run.stderr).toBe("\nStopped.\n");
    expect(run).toMatchObject({ code: 130, leftovers: [] });
    expect(run.running ?? []).toEqual([]);
  });
});

test("verifications can fail", async () => {
  const copy = await copyProject(await temporaryFolder());
  const { signal } = new AbortController();
  const called = (code?: string) => {
    const entry = { toolName: "node_invoke", code, outcome: code ? "blocked" : "ok", receipt: "none" };
    return { session: { ledger: () => [entry] } };
  };
  const failed = async (codes: [string?, string?], changedHere: string[] = []) => {
    const sessions = new Map([
      ["traveller", called(codes[0])],
      ["ringer", called(codes[1])],
    ]);
    const stage = { copy, sessions, signal } as unknown as Stage;
    return (await verifyNode(stage, changedHere)).filter(({ ok }) => !ok).map(({ what }) => what);
  };
  const [tests, bell, host] = [
    "the tests pass in the copy on the node",
    "the node's bell rang when granted",
    "the host's own copy was not touched",
  ];
  // The repair is still missing.
  expect(await failed(["POLICY_DENIED"])).toEqual([tests, bell]);
  await writeFile(copy.bell, "ding\n");
  expect(await failed(["POLICY_DENIED"])).toEqual([tests]);
  rmSync(join(copy.onNode, "test/invoice.test.js"));
  await writeFile(join(copy.onNode, "test/a.test.js"), 'import "node:test";\n');
  expect(await failed(["POLICY_DENIED"], ["src/calendar.js"])).toEqual([host]);
  expect(await failed([])).toEqual([bell]);
  expect(await failed(["POLICY_DENIED", "POLICY_DENIED"])).toEqual([bell]);
  await writeFile(copy.bell, "ding\nding\n");
  expect(await failed(["POLICY_DENIED"])).toEqual([bell]);
});
