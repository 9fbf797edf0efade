import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { converseHere, haftHere, terminalHere } from "../../support/haft.ts";

const write = (path: string, id = "1") => ({ id, name: "exec", arguments: { command: `touch ${path}` } });
const exists = (cwd: string, path: string) =>
  readFile(join(cwd, path)).then(
    () => true,
    () => false,
  );

/** The request that waits, as another process sees it. */
async function waiting(cwd: string) {
  for (;;) {
    const [answer] = (await haftHere(["approvals", "--json"], { cwd })).lines();
    if (answer.requests.length > 0) return answer.requests[0];
    await sleep(50);
  }
}

test("shows, answers, stores and revokes a pending call from other processes", async () => {
  const cwd = await temporaryFolder();
  const call = () => ["tools", "call", "exec", '{"command":"touch made"}', "--session", "group"];
  const first = haftHere([...call(), "--approvals", "wait"], { cwd });
  const { approvalId } = await waiting(cwd);
  const shown = (await haftHere(["approvals"], { cwd })).stdout;
  expect(shown).toContain("touch made");
  expect(shown).toContain("needs approval in group sessions");
  expect(shown).toContain(`haft approvals answer ${approvalId} allow-once (or allow-always, deny)`);
  expect(await exists(cwd, "made")).toBe(false);

  const answered = await haftHere(["approvals", "answer", approvalId, "always", "--for", "8h"], { cwd });
  expect(answered).toMatchObject({ code: 0, stderr: "" });
  expect(answered.stdout).toMatch(/always allowed: .*touch made.* \(expires in 8 h\)/);
  expect(await first).toMatchObject({ code: 0 });
  expect(await exists(cwd, "made")).toBe(true);

  expect(await haftHere(call(), { cwd })).toMatchObject({ code: 0 });
  const table = (await haftHere(["approvals", "grants"], { cwd })).stdout;
  expect(table).toMatch(
    /^id +kind +what +where +since +used +expires\n\w{8} +exact +.*touch made.* 1×, .* in 8 h\n$/,
  );
  const [{ grants }] = (await haftHere(["approvals", "grants", "--json"], { cwd })).lines();
  expect(grants).toMatchObject([
    { kind: "exact", used: 1, sessionKey: expect.stringMatching(/^cli:group:/) },
  ]);

  const mistyped = await haftHere(["approvals", "revoke", `${grants[0].id.slice(0, -1)}-`], { cwd });
  expect(mistyped).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Did you mean ${grants[0].id}`),
  });
  expect(await haftHere(["approvals", "revoke", grants[0].id], { cwd })).toMatchObject({ code: 0 });
  const again = await haftHere(call(), { cwd });
  expect(again.code).toBe(1);
  expect(again.stdout).toBe("");
  expect(again.stderr).toMatch(/^Blocked: .*This session does not request approvals[^]*--approvals wait/);
});

test("limits a grant to its kind of session, folder and conversation", async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "p.yaml"), "ask: [exec]\n");
  const call = (...args: string[]) => [
    "tools",
    "call",
    "exec",
    '{"command":"touch a"}',
    "--policy",
    join(cwd, "p.yaml"),
    ...args,
  ];
  const first = haftHere([...call(), "--approvals", "wait"], { cwd });
  await haftHere(["approvals", "answer", (await waiting(cwd)).approvalId, "always"], { cwd });
  await first;
  expect((await haftHere(call(), { cwd })).code).toBe(0);
  for (const other of [
    ["--session", "group"],
    ["--session-key", "another"],
    ["--agent", "another"],
  ]) {
    expect((await haftHere(call(...other), { cwd })).code).toBe(1);
  }
});

test("limits a grant to its group for every command", async () => {
  const cwd = await temporaryFolder();
  const command = '{"command":"touch a"}';
  const input = JSON.stringify({ name: "exec", arguments: { command: "touch a" } });
  const inRoom = (group: string) => ["--session", "group", "--channel", "chat", "--group", group];
  const first = haftHere(["tools", "call", "exec", command, ...inRoom("1"), "--approvals", "wait"], { cwd });
  await haftHere(["approvals", "answer", (await waiting(cwd)).approvalId, "always"], { cwd });
  expect((await first).code).toBe(0);
  const outcomesIn = async (group: string) => {
    const call = await haftHere(["tools", "call", "exec", command, ...inRoom(group)], { cwd });
    const explain = await haftHere(["explain", "exec", command, ...inRoom(group)], { cwd });
    const run = await haftHere(["run", "--json", "--approvals", "deny", ...inRoom(group)], { cwd, input });
    return [call.code, explain.code, run.lines()[0].kind];
  };
  expect(await outcomesIn("1")).toEqual([0, 0, "ok"]);
  expect(await outcomesIn("2")).toEqual([1, 1, "blocked"]);
});

test("lists some pending calls if no id is given", async () => {
  const cwd = await temporaryFolder();
  const calls = Array.from({ length: 12 }, (_, index) => ({
    name: "exec",
    arguments: { command: `touch ${index}` },
  }));
  const input = calls.map((call) => JSON.stringify(call)).join("\n");
  await haftHere(["run", "--session", "group"], { cwd, input });
  const { code, stderr } = await haftHere(["approvals", "answer", "00000000", "deny"], { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/Pending calls: (\w{8}, ){9}\w{8} and 2 more; `haft approvals` lists them\./);
});

describe("wrong arguments", () => {
  test("report an id that is already answered or expired", async () => {
    const cwd = await temporaryFolder();
    const talk = converseHere(["--json", "--session", "group"], cwd);
    talk.send(write("a"));
    const { approvalId } = await talk.answer();
    const answers = await Promise.all(
      ["allow", "deny"].map((word) => haftHere(["approvals", "answer", approvalId, word], { cwd })),
    );
    // Of two people who answer at once, one is told that it was decided already.
    const isLate = ({ stderr }: { stderr: string }) => stderr.includes("APPROVAL_NOT_FOUND");
    expect(answers.filter(isLate)).toMatchObject([
      {
        code: 1,
        stderr: expect.stringContaining("was already decided"),
      },
    ]);
    expect(await talk.answer()).toMatchObject({ kind: isLate(answers[0]!) ? "blocked" : "ok" });
    await talk.end();
  });

  test("list pending ids for an unknown id", async () => {
    const cwd = await temporaryFolder();
    const none = await haftHere(["approvals", "answer", "k3fw9ab2", "allow"], { cwd });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/APPROVAL_NOT_FOUND/) });
    const talk = converseHere(["--json", "--session", "group"], cwd);
    talk.send(write("a"));
    const { approvalId } = await talk.answer();
    const near = await haftHere(["approvals", "answer", `${approvalId.slice(0, -1)}-`, "allow"], { cwd });
    expect(near).toMatchObject({ code: 1, stderr: expect.stringContaining(`Did you mean ${approvalId}?`) });
    await talk.end();
  });
});

describe("haft run", () => {
  test("writes a second line when a pending call is answered elsewhere", async () => {
    const cwd = await temporaryFolder();
    const talk = converseHere(["--json", "--session", "group"], cwd);
    talk.send(write("a"));
    const pending = await talk.answer();
    expect(pending).toMatchObject({ kind: "pending", toolCallId: "1" });
    await haftHere(["approvals", "answer", pending.approvalId, "allow"], { cwd });
    expect(await talk.answer()).toMatchObject({ kind: "ok", toolCallId: "1" });
    expect(await exists(cwd, "a")).toBe(true);
    await talk.end();
  });

  test("accepts an answer from a chat message, once", async () => {
    const cwd = await temporaryFolder();
    const talk = converseHere(["--json", "--session", "group"], cwd);
    talk.send(write("a"));
    const { approvalId } = await talk.answer();
    talk.send({ control: "message", text: "what is this?" });
    expect(await talk.answer()).toMatchObject({ code: "INVALID_LINE" });
    talk.send({ control: "message", text: `/approve ${approvalId} maybe` });
    expect(await talk.answer()).toMatchObject({ code: "INVALID_LINE" });
    talk.send({ control: "message", text: `/approve ${approvalId} deny` });
    expect(await talk.answer()).toMatchObject({ kind: "blocked", code: "APPROVAL_DENIED", toolCallId: "1" });
    talk.send({ control: "message", text: `/approve ${approvalId} allow-once` });
    expect(await talk.answer()).toMatchObject({ code: "APPROVAL_NOT_FOUND" });
    await talk.end();
    expect(await exists(cwd, "a")).toBe(false);
  });

  test("reports a request with wait, accepts an approve line and keeps the order of answers", async () => {
    const cwd = await temporaryFolder();
    const talk = converseHere(["--json", "--session", "group", "--approvals", "wait"], cwd);
    talk.send(write("a"));
    talk.send({ id: "2", name: "ls", arguments: {} });
    const asked = await talk.answer();
    expect(asked).toMatchObject({
      control: "approval",
      toolCallId: "1",
      toolName: "exec",
      decisions: ["allow-once", "allow-always", "deny"],
      text: expect.stringContaining("touch a"),
    });
    talk.send({ control: "approve", approvalId: asked.approvalId, decision: "allow-always", grant: "exact" });
    expect(await talk.answer()).toMatchObject({ kind: "ok", toolCallId: "1" });
    expect(await talk.answer()).toMatchObject({ kind: "ok", toolCallId: "2" });
    talk.send(write("a", "3"));
    expect(await talk.answer()).toMatchObject({ kind: "ok", toolCallId: "3" });
    await talk.end();
  });

  test("denies immediately with deny", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(["run", "--json", "--session", "group", "--approvals", "deny"], {
      cwd,
      input: JSON.stringify(write("a")),
    });
    expect(run.lines()).toMatchObject([{ kind: "blocked", code: "APPROVAL_UNAVAILABLE" }]);
  });
});

describe("a terminal", () => {
  const call = ["tools", "call", "exec", '{"command":"touch made"}', "--session", "group"];

  test.for([
    ["y\r", 0, true],
    ["always\r", 0, true],
    ["n\r", 1, false],
    ["\u0003", 1, false],
    ["\u0004", 1, false],
  ] as const)("accepts %j", async ([keys, exitCode, made]) => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(call, cwd);
    const question = await terminal.until(/\[n\]o.*> /);
    expect(question).toContain("touch made");
    terminal.type(keys);
    expect((await terminal.end()).exitCode).toBe(exitCode);
    expect(await exists(cwd, "made")).toBe(made);
    const [{ grants }] = (await haftHere(["approvals", "grants", "--json"], { cwd })).lines();
    expect(grants).toHaveLength(keys.startsWith("a") ? 1 : 0);
  });

  test("ignores text typed before the question, and invalid answers", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(call, cwd);
    terminal.type("y\ry\ry");
    await terminal.until(/\[n\]o.*> /);
    terminal.type("sure\r");
    await terminal.until(/not one of these[^]*> /);
    expect(await exists(cwd, "made")).toBe(false);
    terminal.type("n\r");
    expect((await terminal.end()).exitCode).toBe(1);
    expect(await exists(cwd, "made")).toBe(false);
  });

  test("removes a question that is answered elsewhere", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(call, cwd);
    await terminal.until(/\[n\]o.*> /);
    await haftHere(["approvals", "answer", (await waiting(cwd)).approvalId, "allow"], { cwd });
    const { exitCode, output } = await terminal.end();
    expect({ exitCode, output }).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("decided elsewhere"),
    });
    expect(await exists(cwd, "made")).toBe(true);
  });
});
