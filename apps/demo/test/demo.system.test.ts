import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { runProjectTests, takeSnapshot, fixture } from "../src/inspect.ts";
import { measureWidth } from "../src/screen.ts";
import type { Report } from "../src/session.ts";
import { type DemoRun, isolated, runDemo } from "./run-demo.ts";

test("the fixture has one real bug, and one of its tests fails", async () => {
  const run = await runProjectTests(fixture, new AbortController().signal);
  expect(run).toMatchObject({
    exitCode: 1,
    passed: 4,
    failed: 1,
  });
});

let whole: Promise<DemoRun> | undefined;
/** One run as JSON, whose repaired project remains for all tests. */
const wholeAsJson = () => (whole ??= runDemo(["--json", "--keep"]));

// Each run has its own folder and processes, and mostly waits.
describe.concurrent("the whole demo, offline", () => {
  test("shows every part, verifies everything, and leaves nothing behind", async () => {
    const before = await takeSnapshot(fixture);
    const { code, stdout, stderr, leftovers, running } = await runDemo([]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(leftovers).toEqual([]);
    expect(running ?? []).toEqual([]);
    expect(await takeSnapshot(fixture)).toEqual(before);
    expect(stdout).toMatch(/tool +main +group +sandboxed/);
    expect(stdout).toContain("+  if (result.getUTCDate() !== date.getUTCDate()) result.setUTCDate(0);");
    expect(stdout).toMatch(/exec node --test .* exit code 1,[^]+exec node --test .* exit code 0,/);
    expect(stdout).toMatch(/process poll .*\n +Ask me: http:\/\/127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/✓ exec node -e .* exit code 0, .*\n +2026-09-30\n/);
    expect(stdout).toMatch(/✓ process kill .*\n +Killed session /);
    expect(stdout).toMatch(/\? exec needs approval[^]+✗ exec env .* blocked APPROVAL_DENIED/);
    expect(stdout).toMatch(/✗ notify .* blocked DUPLICATE_CALL/);
    expect(stdout).toMatch(/✗ write README.md .* blocked POLICY_DENIED/);
    expect(stdout).toContain('Add "write" to sessions.group.grant');
    expect(stdout).toMatch(/markdown of read [^]+ plain of read /);
    expect(stdout).toMatch(/call_\d+ +owner +failed +none +DUPLICATE_CALL/);
    const checks = isolated ? 30 : 18;
    expect(stdout).toContain(`Verified. ${checks} of ${checks} hold`);
    if (isolated) {
      expect(stdout).toMatch(/The sandbox: (bubblewrap|docker), [^]*exec node --test .* exit code 0,/);
      expect(stdout).toMatch(/✗ exec true \(host=gateway\) .* EXEC_UNAVAILABLE/);
      expect(stdout).toMatch(/workspace\.project {2}rw, network: none, in bubblewrap/);
      expect(stdout).toMatch(/✗ node_invoke bell\.ring .* POLICY_DENIED[^]*✓ node_invoke bell\.ring /);
    }
    expect(stdout).toMatch(/\? bash needs approval [^]*Somebody says yes\.\n +✓ bash [^]*» Node says v\d/);
    // Without a terminal: no colours, and at most 100 columns.
    expect(stripVTControlCharacters(stdout)).toBe(stdout);
    expect(Math.max(...stdout.split("\n").map(measureWidth))).toBeLessThanOrEqual(100);
  });

  test("--json prints one object with the results", async () => {
    const { code, stdout, running } = await wholeAsJson();
    expect(code).toBe(0);
    expect(running ?? []).toEqual([]);
    const report = JSON.parse(stdout) as Report;
    expect(report.ok).toBe(true);
    expect(report.model.kind).toBe("scripted");
    const names = (list: string[]) => expect.arrayContaining(list);
    const missing = names(["write", "edit", "notify"].map((name) => expect.objectContaining({ name })));
    expect(report["tools"]).toMatchObject({
      main: { offered: names(["read", "write", "edit", "notify"]) },
      group: { offered: expect.not.arrayContaining(["write"]), missing },
    });
    expect(report.tests?.before.failed).toBe(1);
    expect(report.tests?.after?.failed).toBe(0);
    expect(report["denied"]).toMatchObject({ fix: expect.stringContaining("sessions.group.grant") });
    expect(report.server?.answer).toBe("2028-02-29");
    expect(report.ledger?.["owner"]).toHaveLength(15);
    expect(report.checks).toHaveLength(isolated ? 30 : 18);
  });

  test("contained commands need one approval to leave the view, and the user's git starts none of their files", async () => {
    const { contained, calls, checks } = JSON.parse((await wholeAsJson()).stdout) as Report;
    if (!isolated) {
      expect(contained).toMatchObject({ unlistedRan: false });
      return;
    }
    expect(contained).toMatchObject({
      inside: { steps: 9, askedUnderCareful: 9 },
      questions: [expect.stringContaining("to run outside the view of contained commands")],
      git: {
        worked: true,
        heldBack: expect.stringContaining("core.fsmonitor"),
        user: { status: "", fsck: true, ranPlanted: false, plantable: true },
      },
    });
    const inView = calls.filter(({ session }) => session === "developer");
    expect(inView.map(({ outcome }) => outcome.kind)).toEqual(Array.from({ length: 10 }, () => "ok"));
    expect(JSON.stringify(inView)).toContain(".git/hooks/pre-commit: Read-only file system");
    expect(JSON.stringify(inView)).toContain("git.example.com is not on the list of this session's network");
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });

  test("without a sandbox, and where nothing contains commands, it says so and why, asks, and goes on", async () => {
    const env = { PATH: "/nowhere", DOCKER_HOST: "unix:///nowhere/docker.sock" };
    const { code, stdout } = await runDemo(["--part", "sandbox", "--part", "node", "--part", "contained"], {
      env,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/No sandbox can be opened here\.[^]*So this part is\s+left\s+out/);
    expect(stdout).toMatch(
      /A node opens its workspace in a sandbox, and here it cannot: [^]*So this\s+part\s+is\s+left\s+out/,
    );
    expect(stdout).toMatch(/this\s+machine\s+cannot\s+contain\s+them/);
    expect(stdout).toMatch(
      /\? exec needs approval [^]*nothing\s+contains\s+commands\s+here,\s+so\s+the\s+list\s+decides/,
    );
    expect(stdout).toMatch(/✗ exec node --version .* blocked APPROVAL_DENIED/);
    expect(stdout).toContain("Verified. 4 of 4 hold, 2 calls");
  });

  test("--part shows only that part and runs its requirements silently", async () => {
    const { code, stdout } = await runDemo(["--part", "formats"]);
    expect(code).toBe(0);
    expect(stdout).toContain("1  One result in both formats");
    expect(stdout).not.toContain("An agent repairs");
    expect(stdout).toContain("the same tests pass now");
    expect(stdout).not.toContain("the group did not write");
  });

  test("--keep keeps the repaired project", async () => {
    const { stdout, leftovers } = await wholeAsJson();
    expect(leftovers).toEqual([expect.stringMatching(/^haft-demo-/)]);
    expect((JSON.parse(stdout) as Report).copy).toContain(leftovers[0]);
  });
});
