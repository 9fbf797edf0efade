import type { HaftError, Policy, ToolOutcome } from "@haft/core";
import { contentToText } from "@haft/core";
import { Registry, SessionFactory } from "@haft/core/kernel";
import { createMemoryRecords } from "@haft/workspace/internal/wire";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createExecPlugin } from "../../src/index.ts";
import { bench, getResultText as textOfResult, until } from "../support/bench.ts";

const decision = { effect: "allow", id: "test", reason: "everything is allowed here", trace: [] } as const;
const policy: Policy = { forSession: () => ({ visibility: () => decision, call: () => decision }) };

/** The tools as a model reaches them. */
async function openSession(): Promise<(name: string, args: object) => Promise<ToolOutcome>> {
  const { workspace } = bench();
  const plugin = createExecPlugin();
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const session = await new SessionFactory({ registry, policy }).open({ kind: "main", workspace });
  let count = 0;
  return (name, args) => session.call({ id: `call-${++count}`, name, arguments: args });
}

describe("exec and process in the kernel", () => {
  test("records effects of an ended command, and none of a poll", async () => {
    const call = await openSession();
    const exited = await call("exec", { cmd: "exit 3", cwd: ".", timeout: 5 });
    expect(exited).toMatchObject({ kind: "ok", receipt: "committed" });
    expect(await call("exec", { command: "kill -9 $$" })).toMatchObject({ kind: "ok", receipt: "unknown" });
    expect(await call("process", { action: "list" })).toMatchObject({ kind: "ok", receipt: "none" });
    const failed = await call("bash", { command: "exit 3" });
    expect(failed).toMatchObject({ kind: "error", code: "SCRIPT_FAILED", receipt: "unknown" });
  });

  test("reports refusals and unknown sessions as coded errors", async () => {
    const call = await openSession();
    const refused = await call("exec", { command: "true", host: "sandbox" });
    const byPolicy = { code: "EXEC_UNAVAILABLE", category: "policy", receipt: "none" };
    expect(refused).toMatchObject({ kind: "error", ...byPolicy });
    expect(contentToText(refused.content)).toBe(
      "Error: This session runs commands on gateway, not on sandbox.\n" +
        "Remove host (or set it to auto or gateway) to run the command there.",
    );
    const unknown = await call("process", { action: "poll", session_id: "no-one" });
    const details = { status: "failed" };
    expect(unknown).toMatchObject({ kind: "error", code: "PROCESS_NOT_FOUND", details });
    expect(contentToText(unknown.content)).toMatch(/^Error: No session found for no-one\n/);
    expect(await call("process", { action: "attach" })).toMatchObject({ code: "INVALID_ARGUMENTS" });
  });

  test("stops repeated empty polls as a loop, even with varying waits", async () => {
    const call = await openSession();
    const started = await call("exec", { command: "sleep 661", background: true });
    const { sessionId } = started.details as { sessionId: string };
    const outcomes: ToolOutcome[] = [];
    for (let count = 0; count < 40 && outcomes.at(-1)?.kind !== "blocked"; count++) {
      outcomes.push(await call("process", { action: "poll", sessionId, timeout: count }));
    }
    expect(outcomes.at(-1)).toMatchObject({ kind: "blocked", code: "LOOP_REPEAT" });
  });

  test("defines parameters as plain objects without alternatives", () => {
    for (const { factory } of createExecPlugin().tools) {
      const tool = factory({} as never) as { parameters: object; description: string };
      expect(JSON.stringify(tool.parameters)).not.toMatch(/anyOf|oneOf|allOf/);
      expect(tool.description.length).toBeLessThan(1024);
    }
  });
});

test("keeps output and names of many concurrent commands separate", async () => {
  const { start, process } = bench();
  const many = scaleRuns(200, 4);
  const names = await Promise.all(
    Array.from({ length: many }, (_, index) => start(`sleep 0.2; for i in 1 2 3; do echo ${index}-$i; done`)),
  );
  expect(new Set(names).size).toBe(many);
  await Promise.all(
    names.map(async (sessionId, index) => {
      const text: string[] = [];
      for (let status = "running"; status === "running";) {
        const result = await process({ action: "poll", sessionId, timeout: 60_000 });
        status = result.details.status;
        text.push(textOfResult(result));
      }
      const seen = text.join("\n").match(/\d+-\d/g);
      expect(seen).toEqual([`${index}-1`, `${index}-2`, `${index}-3`]);
      expect(text.at(-1)).toMatch(/Process exited with code 0\.$/);
    }),
  );
});

test("removes ended commands beyond fifty, oldest first", async () => {
  const { start, finish, process } = bench();
  const names: string[] = [];
  for (let count = 0; count < 53; count++) {
    names.push(await start(`echo ${count}`));
    await finish(names.at(-1)!);
  }
  const { details } = await process({ action: "list" });
  const listed = (details as { sessions: { sessionId: string }[] }).sessions.map(
    ({ sessionId }) => sessionId,
  );
  expect(listed).toEqual(names.slice(3).toReversed());
});

test("finds the commands of an earlier host by name, and reports their loss", async () => {
  const records = createMemoryRecords();
  const before = bench({}, { records });
  const sessionId = await before.start("echo hi; sleep 662");
  await before.process({ action: "poll", sessionId, timeout: 60_000 });
  await until("it is written down", async () => (await records.load()).length === 1);
  const after = bench({}, { records });
  expect(textOfResult(await after.process({ action: "list" }))).toMatch(
    new RegExp(
      `^${sessionId} failed    \\w+ :: echo hi; sleep 662 \\[the host that started it has ended\\]$`,
    ),
  );
  await expect(after.process({ action: "poll", sessionId })).rejects.toMatchObject({
    code: "RUNNER_LOST",
    message: expect.stringContaining("the host that started it has ended. The command was running"),
    details: { status: "failed", failureKind: "lost", sessionId },
    receipt: "unknown",
  });
  expect(textOfResult(await after.process({ action: "clear", sessionId }))).toBe(
    `Cleared session ${sessionId}.`,
  );
  expect(await records.load()).toEqual([]);
});

test("names the commands that a lost runner ended, and runs the next command", async () => {
  const { exec, start, process } = bench({}, { startedBy: "runner" });
  const sessionId = await start("sleep 663");
  // The parent of a command is what runs the commands of this session, and of nothing else.
  const { message, details, fix } = (await exec({ command: "kill -9 $PPID; sleep 664" }).catch(
    (thrown: unknown) => thrown,
  )) as HaftError;
  expect(message).toContain(`These background commands ended with it: ${sessionId}.`);
  expect(details).toMatchObject({ lostWithIt: [sessionId] });
  expect(fix).toContain("The session is ready: the next command starts as usual.");
  expect(textOfResult(await exec({ command: "echo again" }))).toContain("again");
  expect(textOfResult(await process({ action: "list" }))).toContain(`${sessionId} failed`);
});
