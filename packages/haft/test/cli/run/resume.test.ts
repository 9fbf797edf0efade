import { createHost } from "@haft/host";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { converseHere, haftHere } from "../../support/haft.ts";

const lines = (...all: readonly object[]) => all.map((line) => JSON.stringify(line)).join("\n");
const READ = { id: "r", name: "read", arguments: { path: "a.txt" } };
const WRITE = { id: "w", name: "write", arguments: { path: "b.txt", content: "x" } };

async function aFolder() {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "a.txt"), "hello");
  await mkdir(configOf(cwd));
  await writeFile(join(configOf(cwd), "ask.yaml"), "ask: [write]\n");
  return cwd;
}

/** In the workspace: the operator names it. */
function configOf(cwd: string): string {
  return join(cwd, "conf");
}

async function run(cwd: string, args: readonly string[], ...input: readonly object[]) {
  return haftHere(["run", "--json", "--policy", "conf/ask.yaml", ...args], { cwd, input: lines(...input) });
}

test("starts a separate run at each opening without --resume", async () => {
  const cwd = await aFolder();
  await run(cwd, [], READ);
  const { lines: answers } = await run(cwd, [], READ, { control: "ledger", wrap: true });
  const [answer, ledger] = answers();
  expect(answer).not.toHaveProperty("replayed");
  expect(ledger).toMatchObject({ control: "ledger", calls: [{ toolCallId: "r" }] });
});

test("continues a run: recorded calls are answered from the record, pending calls wait again", async () => {
  const cwd = await aFolder();
  // One line after the other: a control line is answered at once, whatever the calls before it do.
  const before = converseHere(["--json", "--policy", "conf/ask.yaml"], cwd);
  before.send(READ);
  await before.answer();
  before.send(WRITE);
  const pending = await before.answer();
  expect(pending).toMatchObject({ kind: "pending" });
  before.send({ control: "run" });
  const facts = await before.answer();
  await before.end();
  const after = await run(
    cwd,
    ["--resume", facts.runId],
    { control: "approvals" },
    { control: "run" },
    READ,
    { control: "ledger" },
  );
  const answers = after.lines();
  expect(answers).toContainEqual(
    expect.objectContaining({
      control: "approvals",
      approvals: [expect.objectContaining({ approvalId: pending.approvalId, toolCallId: "w" })],
    }),
  );
  expect(answers).toContainEqual(
    expect.objectContaining({ control: "run", runId: facts.runId, epoch: 2, calls: 2, interrupted: [] }),
  );
  expect(answers).toContainEqual(expect.objectContaining({ toolCallId: "r", kind: "ok", replayed: true }));
  expect(answers.find((each) => Array.isArray(each))).toHaveLength(2);
  expect(after.stderr).toContain(`Continuing run ${facts.runId}: 2 calls so far.`);
  expect(after.stderr).toContain(`haft approvals answer ${pending.approvalId}`);
  expect(existsSync(join(cwd, "b.txt"))).toBe(false);
});

test("runs a call once that is allowed after the resume, and marks its line as resumed", async () => {
  const cwd = await aFolder();
  const before = await run(cwd, [], WRITE);
  const [{ approvalId }] = before.lines();
  const after = await run(
    cwd,
    ["--resume"],
    { control: "run" },
    { control: "approve", approvalId, decision: "allow-once" },
  );
  const ended = after.lines().filter(({ toolCallId }) => toolCallId === "w");
  expect(ended).toEqual([expect.objectContaining({ kind: "ok", resumed: true, receipt: "committed" })]);
  expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("x");
  const again = await run(cwd, ["--resume"], WRITE);
  expect(again.lines()).toMatchObject([{ toolCallId: "w", kind: "ok", replayed: true }]);
});

test("starts a new run without a run to continue, and reports that", async () => {
  const cwd = await aFolder();
  const { lines: answers, stderr, code } = await run(cwd, ["--resume"], READ);
  expect(answers()).toMatchObject([{ toolCallId: "r", kind: "ok" }]);
  expect(stderr).toContain("There is no earlier run of this conversation");
  expect(code).toBe(0);
});

test("refuses a run of another program, and prints its owner, its start and a fix", async () => {
  const cwd = await aFolder();
  const other = converseHere(["--json"], cwd);
  other.send(READ);
  await other.answer();
  // Its run is there before anything is changed.
  other.send({ name: "write", arguments: { path: "c.txt", content: "x" } });
  await other.answer();
  const held = await run(cwd, ["--resume"], READ);
  expect(held.code).toBe(1);
  expect(held.stdout).not.toContain("toolCallId");
  expect(held.stderr).toMatch(/is held by process \d+ on .*, since .*--take-over.*\[SESSION_HELD\]/s);
  await other.end();
  const free = await run(cwd, ["--resume"], READ);
  expect(free.lines()).toMatchObject([{ toolCallId: "r", replayed: true }]);
});

test("reports a missing run and calls nothing", async () => {
  const cwd = await aFolder();
  const { code, stderr, stdout } = await run(cwd, ["--resume", "0mwtv15u6pag9jos9l"], READ);
  expect(code).toBe(1);
  expect(stderr).toContain("RUN_NOT_FOUND");
  expect(stdout).not.toContain("toolCallId");
});

test("creates no state folder for a read", async () => {
  const cwd = await aFolder();
  for (const args of [["tools"], ["explain", "write"], ["config", "show"]]) await haftHere(args, { cwd });
  expect(existsSync(getStateFolder(cwd))).toBe(false);
  await run(cwd, [], READ);
  expect(await readdir(getStateFolder(cwd))).toContain("haft.db");
});

test("refuses a run of a host, whose policy and plugins it lacks, and leaves the stored answer to the host", async () => {
  const cwd = await aFolder();
  const openHost = () =>
    createHost({
      workspaceDir: cwd,
      stateDir: getStateFolder(cwd),
      policy: { ask: ["write"], deny: ["write(path:secret.txt)"] },
    });
  const first = await openHost();
  const session = await first.openSession({ sessionKey: "chat" });
  const pending = await session.call(WRITE);
  const { runId } = session.run!;
  await first.close();
  const { approvalId } = pending as { approvalId: string };

  const listed = await haftHere(["approvals"], { cwd });
  expect(listed.stdout).toContain("the program that opened this run continues it");
  expect(listed.stdout).not.toContain("--resume");
  const answered = await haftHere(["approvals", "answer", approvalId, "allow"], { cwd });
  expect(answered.stdout).not.toContain("--resume");

  const secret = { ...WRITE, id: "s", arguments: { path: "secret.txt", content: "x" } };
  for (const args of [[runId], []]) {
    const refused = await run(cwd, ["--session-key", "chat", "--resume", ...args], secret);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("[RUN_ELSEWHERE]");
  }
  expect([existsSync(join(cwd, "b.txt")), existsSync(join(cwd, "secret.txt"))]).toEqual([false, false]);

  const second = await openHost();
  const continued = await second.openSession({ sessionKey: "chat", resume: true });
  await continued.continued();
  expect(await continued.call(WRITE)).toMatchObject({ kind: "ok" });
  expect(await readFile(join(cwd, "b.txt"), "utf8")).toBe("x");
  await second.close();
});
