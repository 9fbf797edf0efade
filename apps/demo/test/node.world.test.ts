import { existsSync, rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { NATS_SERVER } from "../../../packages/store/test/nats/support/nats-server.ts";
import { until } from "../../../test/support/until.ts";
import { bellOf, projectOf } from "../src/node/folders.ts";
import { nodePart } from "../src/parts/node.ts";
import type { Stage } from "../src/parts/part.ts";
import { processesIn } from "../src/processes-in.ts";
import { copyProject } from "../src/project-copy.ts";
import type { Report } from "../src/report.ts";
import { isolated, runDemo } from "./run-demo.ts";

const path = process.env["PATH"] ?? "";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "demo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe.skipIf(!isolated).concurrent("the node", () => {
  test("without a nats-server is in the same process, and the part says so", async () => {
    const without = path.split(delimiter).filter((folder) => !existsSync(join(folder, "nats-server")));
    const env = { PATH: without.join(delimiter) };
    const { code, stdout, left } = await runDemo(["--part", "node"], { env });
    expect(stdout).toMatch(/\(in this process, because there is no\s+nats-server here\)/);
    expect(stdout).toMatch(
      /it is the host's own\. The\s+host\s+approves bell\.ring and workspace\.project\./,
    );
    expect(stdout).toContain("Verified. 6 of 6 hold, 9 calls");
    expect([code, left]).toEqual([0, []]);
  });

  // Where nobody can be asked what runs, nothing would be seen.
  test.skipIf(NATS_SERVER === undefined || process.platform !== "linux")(
    "is another process over a nats-server, and neither outlives a demo that is killed",
    async () => {
      const seen = { output: "", commands: "", temporary: "" };
      const env = { PATH: [path, dirname(NATS_SERVER!)].join(delimiter) };
      await runDemo(["--part", "node"], {
        env,
        started(child, temporary) {
          seen.temporary = temporary;
          child.stdout?.on("data", (part: Buffer) => {
            seen.output += part.toString();
            if (!seen.output.includes("I run them.") || seen.commands !== "") return;
            seen.commands = JSON.stringify(processesIn(temporary));
            child.kill("SIGKILL");
          });
        },
      });
      expect(seen.output).toMatch(/another process, met on a nats-server at 127\.0\.0\.1:\d+/);
      expect(seen.output).toMatch(/Paired: both sides show \d{4} \d{4}\./);
      expect(seen.commands).toMatch(/node-program\.ts/);
      expect(seen.commands).toMatch(/nats-server --addr/);
      await until("nothing is left", () => processesIn(seen.temporary)!.length === 0);
    },
  );

  test("Ctrl-C while it works: code 130, nothing left", async () => {
    const run = await runDemo(["--part", "node"], {
      started(child) {
        child.stdout?.on("data", (part: Buffer) => {
          if (part.toString().includes("I run them.")) child.kill("SIGINT");
        });
      },
    });
    expect(run.stderr).toBe("\nStopped.\n");
    expect(run).toMatchObject({ code: 130, left: [] });
    expect(run.running ?? []).toEqual([]);
  });
});

test("what is verified can fail", async () => {
  const copy = await copyProject(await temporaryFolder());
  const { signal } = new AbortController();
  const called = (code?: string) => {
    const entry = { toolName: "node_invoke", code, outcome: code ? "blocked" : "ok", receipt: "none" };
    return { session: { ledger: () => [entry] } };
  };
  const failed = async (codes: [string?, string?], node: Report["node"]) => {
    const sessions = new Map([
      ["traveller", called(codes[0])],
      ["ringer", called(codes[1])],
    ]);
    const stage = { copy, report: { node }, sessions, signal } as unknown as Stage;
    return (await nodePart.verify!(stage)).filter(({ ok }) => !ok).map(({ what }) => what);
  };
  const [tests, bell, host] = [
    "the tests pass in the copy on the node",
    "the node's bell rang when granted",
    "the host's own copy was not touched",
  ];
  const good = { where: "here", changedHere: [], entriesHere: 8 };
  // Nothing was repaired yet.
  expect(await failed(["POLICY_DENIED"], good)).toEqual([tests, bell]);
  await writeFile(bellOf(copy.machine), "ding\n");
  expect(await failed(["POLICY_DENIED"], good)).toEqual([tests]);
  rmSync(join(projectOf(copy.machine), "test/invoice.test.js"));
  await writeFile(join(projectOf(copy.machine), "test/a.test.js"), 'import "node:test";\n');
  expect(await failed(["POLICY_DENIED"], { ...good, changedHere: ["src/calendar.js"] })).toEqual([host]);
  expect(await failed([], good)).toEqual([bell]);
  expect(await failed(["POLICY_DENIED", "POLICY_DENIED"], good)).toEqual([bell]);
  await writeFile(bellOf(copy.machine), "ding\nding\n");
  expect(await failed(["POLICY_DENIED"], good)).toEqual([bell]);
});
