import { describe, expect, test } from "vitest";
import { bench, failure, isAlive, textOf } from "./support/bench.ts";

describe("the end", () => {
  test("kill takes everything, and is told once", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 620 & echo $!; wait");
    const child = Number.parseInt(textOf(await process({ action: "poll", sessionId, timeout: 5_000 })), 10);
    const result = await process({ action: "kill", sessionId });
    expect(textOf(result)).toBe(`Killed session ${sessionId}.`);
    expect(result.details).toMatchObject({ status: "killed", sessionId });
    expect(isAlive(child)).toBe(false);
    expect(textOf(await process({ action: "poll", sessionId }))).toMatch(
      /^\(no new output\)\n\nProcess exited with signal SIG/,
    );
  });

  test("kill of one that ignores TERM", async () => {
    const { exec, process } = bench();
    const { details } = await exec({
      command: "trap '' TERM; echo up; while :; do sleep 0.05; done",
      background: true,
    });
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    await process({ action: "poll", sessionId, timeout: 5_000 });
    expect(textOf(await process({ action: "kill", sessionId }))).toBe(`Killed session ${sessionId}.`);
    expect(isAlive(pid)).toBe(false);
  });

  test("kill of one that has ended takes what it left running", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("sleep 621 & echo $!");
    const child = Number.parseInt((await finish(sessionId))[0]!, 10);
    expect(isAlive(child)).toBe(true);
    expect(textOf(await process({ action: "kill", sessionId }))).toBe(
      `Session ${sessionId} had ended already; what it had left running was killed.`,
    );
    expect(isAlive(child)).toBe(false);
  });

  test("clear forgets ended ones only", async () => {
    const { process, start, finish, workspace } = bench();
    const sessionId = await start("read x");
    expect(await failure(process({ action: "clear", sessionId }))).toMatchObject({
      code: "SESSION_RUNNING",
      message: `Session ${sessionId} is still running.`,
    });
    await process({ action: "submit", sessionId });
    await finish(sessionId);
    expect(textOf(await process({ action: "clear", sessionId }))).toBe(`Cleared session ${sessionId}.`);
    expect(await failure(process({ action: "poll", sessionId }))).toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
    expect(await workspace.processes!.list()).toEqual([]);
  });

  test("remove ends and forgets", async () => {
    const { exec, process, workspace } = bench();
    const { details } = await exec({ command: "sleep 622", background: true });
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    expect(textOf(await process({ action: "remove", sessionId }))).toBe(`Removed session ${sessionId}.`);
    expect(isAlive(pid)).toBe(false);
    expect(await workspace.processes!.list()).toEqual([]);
  });
});
