import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { CommandNotice } from "../../src/index.ts";
import { endCommands } from "../../src/index.ts";
import { bench, isAlive, getResultText, until } from "../support/bench.ts";

function listening(options: { notifyOnExitEmptySuccess?: boolean } = {}) {
  const notices: CommandNotice[] = [];
  return { notices, ...bench({ ...options, onExit: (notice) => void notices.push(notice) }) };
}

/** A command that ends, without a word, once that is allowed; `poll` answers what a poll of it is that waits already. */
async function gated(options: Parameters<typeof listening>[0] = {}) {
  const { notices, start, process, root, workspace } = listening(options);
  const sessionId = await start("until [ -e gate ]; do sleep 0.01; done; exit 3");
  const read = vi.spyOn(workspace.processes!, "read");
  return {
    notices,
    sessionId,
    async poll(signal?: AbortSignal) {
      const answer = process({ action: "poll", sessionId, timeout: 60_000 }, signal && { signal });
      await until("it waits", () => read.mock.calls.length > 0);
      // Not the promise itself: whoever awaits this would wait for the end.
      return { answer };
    },
    open: () => writeFileSync(join(root, "gate"), ""),
  };
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

test("reports the end of a background command once, with the end of its output", async () => {
  const { notices, start, root } = listening();
  const sessionId = await start("echo first; echo; seq 1 200; exit 3", { title: "count" });
  await until("it is told", () => notices.length > 0);
  const [notice] = notices;
  expect(notice).toMatchObject({ sessionId, name: "count", status: "completed", exitCode: 3, cwd: root });
  expect(notice!.snippet).toHaveLength(180);
  expect(notice!.snippet.endsWith("198 199 200")).toBe(true);
  await soon();
  expect(notices).toHaveLength(1);
});

test("reports silent success only on request, and silent failure always", async () => {
  const quiet = listening();
  await quiet.start("true");
  await soon();
  expect(quiet.notices).toEqual([]);
  await quiet.start("exit 2");
  await until("it is told", () => quiet.notices.length > 0);
  const eager = listening({ notifyOnExitEmptySuccess: true });
  await eager.start("true");
  await until("it is told", () => eager.notices.length > 0);
  expect(eager.notices[0]!.snippet).toBe("");
});

test("does not report an end that a poll returned", async () => {
  const { notices, poll, open } = await gated();
  const { answer } = await poll();
  open();
  expect(getResultText(await answer)).toContain("Process exited with code 3.");
  await soon();
  expect(notices).toEqual([]);
});

test("does not report a requested kill", async () => {
  const { notices, start, process } = listening();
  const killed = await start("sleep 651");
  await process({ action: "kill", sessionId: killed });
  await soon();
  expect(notices).toEqual([]);
});

test("reports an end after a poll was aborted", async () => {
  const { notices, sessionId, poll, open } = await gated();
  const given = new AbortController();
  const { answer } = await poll(given.signal);
  given.abort();
  await answer.catch(() => {});
  open();
  await until("it is told", () => notices.length > 0);
  expect(notices).toMatchObject([{ sessionId, exitCode: 3 }]);
});

test("does not report a command that ended while its call waited", async () => {
  const { notices, exec } = listening();
  await exec({ command: "echo hi" });
  await soon();
  expect(notices).toEqual([]);
});

test("ends only the commands of a session with the session", async () => {
  const { exec, workspace, process } = listening();
  const start = async (sessionKey: string): Promise<number> => {
    const { details } = await exec({ command: "sleep 652", background: true }, { sessionKey });
    return (details as { pid: number }).pid;
  };
  const [first, other] = [await start("mine"), await start("other")];
  await endCommands(workspace, "mine");
  expect([isAlive(first), isAlive(other)]).toEqual([false, true]);
  expect(getResultText(await process({ action: "list" }, { sessionKey: "mine" }))).toBe(
    "No running or recent sessions.",
  );
});
