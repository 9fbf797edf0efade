import type { HostProcesses } from "@haft/workspace";
import { env } from "node:process";
import { afterAll, describe, expect, test } from "vitest";
import { formatEndedProcesses, formatLeftProcesses } from "../../src/sessions/describe-end.ts";
import { bench, failure, isAlive, getResultText } from "../support/bench.ts";

const { exec, finish, process, start } = bench({}, {}, afterAll);

const IN_GROUP = ", with all processes in its control group.";
const BY_MARKS = ", with all processes that carry its mark.";

/** In a control group that is all; elsewhere, where nobody can tell what else runs, that is said. */
const endingOf = (text: string): RegExp => {
  const [group, marks] = [IN_GROUP, BY_MARKS].map((one) => RegExp.escape(one));
  return new RegExp(
    `^${RegExp.escape(text)}(?:${group}|${marks}(?: Processes that removed its mark may still run\\.)?)$`,
  );
};

/** Leaves its group, its session, its parents, its variables and its files, and the command running. */
const SHED = `env -i setsid sh -c 'exec </dev/null >/dev/null 2>&1 9>&-; setsid sleep 623 &'; echo shed; sleep 624`;
const NOT_ENDED =
  /(?:1 process of this session carries no mark of any command and still runs; it ends with the session\.|Processes that removed its mark may still run\.)/;

describe("processes without a mark are reported as ended only if they were", () => {
  test.each([true, false])("with control groups: %s", async (controlGroups) => {
    const { exec, process: control, workspace, start } = bench({}, { startedBy: "runner", controlGroups });
    const answers: string[] = [];
    for (const action of ["kill", "remove"]) {
      const sessionId = await start(SHED);
      await control({ action: "poll", sessionId, timeout: 60_000 });
      answers.push(getResultText(await control({ action, sessionId })));
    }
    answers.push(getResultText(await exec({ command: SHED, timeoutSeconds: 2 })));
    const inGroups = (workspace.processes as HostProcesses).isolation?.ends === "control-groups";
    if (env["HAFT_REQUIRE_SERVICES"] === "1") expect(inGroups).toBe(controlGroups);
    for (const text of answers) {
      expect(text).toContain(inGroups ? IN_GROUP : BY_MARKS);
      if (inGroups) expect(text).not.toMatch(NOT_ENDED);
      else expect(text).toMatch(/no mark|removed its mark/);
    }
  });

  test.each([
    [{ ending: { by: "control-group", left: 0 } }, IN_GROUP, ""],
    [{ ending: { by: "control-group", left: 0 }, unmarked: 0 }, IN_GROUP, ""],
    [{ ending: { by: "marks", left: 0 }, unmarked: 0 }, BY_MARKS, ""],
    [{ ending: { by: "marks", left: 0 } }, BY_MARKS, "Processes that removed its mark may still run. "],
    [
      { ending: { by: "control-group", left: 2 }, unmarked: 0 },
      "",
      "The system did not end 2 of its processes, which may still run. ",
    ],
    [
      { ending: { by: "control-group", left: 0 }, unmarked: 2 },
      IN_GROUP,
      "2 processes of this session carry no mark of any command and still run; they end with the session. ",
    ],
  ] as const)("%j", (info, ended, left) => {
    expect(`${formatEndedProcesses(info)}.`).toBe(ended === "" ? "." : ended);
    expect(formatLeftProcesses(info)).toBe(left);
  });
});

describe("the end of a command", () => {
  test("kill ends all processes, and is reported once", async () => {
    const sessionId = await start("sleep 620 & echo $!; wait");
    const child = Number.parseInt(
      getResultText(await process({ action: "poll", sessionId, timeout: 60_000 })),
      10,
    );
    const result = await process({ action: "kill", sessionId });
    expect(getResultText(result)).toMatch(endingOf(`Killed session ${sessionId}`));
    expect(result.details).toMatchObject({ status: "killed", sessionId });
    expect(isAlive(child)).toBe(false);
    expect(getResultText(await process({ action: "poll", sessionId }))).toMatch(
      /^\(no new output\)\n\nProcess exited with signal SIG/,
    );
  });

  test("kill ends a command that ignores TERM", async () => {
    const { details } = await exec({
      command: "trap '' TERM; echo up; while :; do sleep 0.05; done",
      background: true,
    });
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    await process({ action: "poll", sessionId, timeout: 60_000 });
    expect(getResultText(await process({ action: "kill", sessionId }))).toMatch(
      endingOf(`Killed session ${sessionId}`),
    );
    expect(isAlive(pid)).toBe(false);
  });

  test("kill of an ended command ends its remaining processes", async () => {
    const sessionId = await start("sleep 621 & echo $!");
    const child = Number.parseInt((await finish(sessionId))[0]!, 10);
    expect(isAlive(child)).toBe(true);
    expect(getResultText(await process({ action: "kill", sessionId }))).toMatch(
      endingOf(`Session ${sessionId} had ended already; its remaining processes were killed`),
    );
    expect(isAlive(child)).toBe(false);
  });

  test("clear removes only ended commands", async () => {
    const { process, start, finish, workspace } = bench();
    const sessionId = await start("read x");
    expect(await failure(process({ action: "clear", sessionId }))).toMatchObject({
      code: "SESSION_BUSY",
      message: `Session ${sessionId} is still running.`,
    });
    await process({ action: "submit", sessionId });
    await finish(sessionId);
    expect(getResultText(await process({ action: "clear", sessionId }))).toBe(
      `Cleared session ${sessionId}.`,
    );
    expect(await failure(process({ action: "poll", sessionId }))).toMatchObject({
      code: "PROCESS_NOT_FOUND",
    });
    expect(await workspace.processes!.list()).toEqual([]);
  });

  test("remove ends and removes a command", async () => {
    const { exec, process, workspace } = bench();
    const { details } = await exec({ command: "sleep 622", background: true });
    const { sessionId, pid } = details as { sessionId: string; pid: number };
    expect(getResultText(await process({ action: "remove", sessionId }))).toMatch(
      endingOf(`Removed session ${sessionId}. It was killed`),
    );
    expect(isAlive(pid)).toBe(false);
    expect(await workspace.processes!.list()).toEqual([]);
  });
});
