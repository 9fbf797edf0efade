import { describe, expect, test } from "vitest";
import { bench, failure, isAlive, textOf } from "../support/bench.ts";

/** Where nobody can tell what else runs, that is said. */
const said = (text: string): RegExp =>
  new RegExp(`^${RegExp.escape(text)}(?: What shed its mark, if anything did, may still run\\.)?$`);

/** Leaves its group, its session, its parents, its variables and its files, and the command running. */
const SHED = `env -i setsid sh -c 'exec </dev/null >/dev/null 2>&1 9>&-; setsid sleep 623 &'; echo shed; sleep 624`;
const NOT_ENDED =
  /^(?:1 process of this session carries no mark of any command and still runs; it ends with the session\.|What shed its mark, if anything did, may still run\.)/;

describe("what shed its mark is not said to have been ended", () => {
  test("by kill and remove", async () => {
    for (const [action, claim] of [
      ["kill", ", with everything that carries its mark. "],
      ["remove", ". It was killed, with everything that carries its mark. "],
    ] as const) {
      const { process, start } = bench();
      const sessionId = await start(SHED);
      await process({ action: "poll", sessionId, timeout: 60_000 });
      const text = textOf(await process({ action, sessionId }));
      expect(text).toContain(claim);
      expect(text.slice(text.indexOf(claim) + claim.length)).toMatch(NOT_ENDED);
    }
  });

  test("by a timeout", async () => {
    const { exec } = bench();
    const text = textOf(await exec({ command: SHED, timeoutSeconds: 2 }));
    expect(text).not.toContain("everything it had started");
    const claim = "was ended, with everything that carries its mark. ";
    expect(text.slice(text.indexOf(claim) + claim.length)).toMatch(NOT_ENDED);
  });
});

describe("the end", () => {
  test("kill takes everything, and is told once", async () => {
    const { process, start } = bench();
    const sessionId = await start("sleep 620 & echo $!; wait");
    const child = Number.parseInt(textOf(await process({ action: "poll", sessionId, timeout: 60_000 })), 10);
    const result = await process({ action: "kill", sessionId });
    expect(textOf(result)).toMatch(
      said(`Killed session ${sessionId}, with everything that carries its mark.`),
    );
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
    await process({ action: "poll", sessionId, timeout: 60_000 });
    expect(textOf(await process({ action: "kill", sessionId }))).toMatch(
      said(`Killed session ${sessionId}, with everything that carries its mark.`),
    );
    expect(isAlive(pid)).toBe(false);
  });

  test("kill of one that has ended takes what it left running", async () => {
    const { process, start, finish } = bench();
    const sessionId = await start("sleep 621 & echo $!");
    const child = Number.parseInt((await finish(sessionId))[0]!, 10);
    expect(isAlive(child)).toBe(true);
    expect(textOf(await process({ action: "kill", sessionId }))).toMatch(
      said(`Session ${sessionId} had ended already; what carried its mark was killed.`),
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
    expect(textOf(await process({ action: "remove", sessionId }))).toMatch(
      said(`Removed session ${sessionId}. It was killed, with everything that carries its mark.`),
    );
    expect(isAlive(pid)).toBe(false);
    expect(await workspace.processes!.list()).toEqual([]);
  });
});
