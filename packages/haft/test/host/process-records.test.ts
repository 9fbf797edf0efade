import { contentToText } from "@haft/core";
import { openSqliteStore } from "@haft/store";
import { getCurrentOwner } from "@haft/system";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openHost } from "../../../host/test/support/open-host.ts";
import { start } from "../support/haft.ts";

async function aHost(workspaceDir: string) {
  const stateDir = getStateFolder(workspaceDir);
  const host = await openHost({ workspaceDir, stateDir });
  return host;
}

const SESSION = { sessionKey: "talk" };
const list = { name: "process", arguments: { action: "list" } };
const token = "ghp_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2";

test("reports background commands as lost after kill -9 of the host", async () => {
  const cwd = await temporaryFolder();
  const child = start(["run", "--json", "--session-key", "talk"], cwd);
  const command = `TOKEN=${token} sleep 12345.678`;
  const call = { id: "c", name: "exec", arguments: { command, background: true } };
  child.stdin.write(`${JSON.stringify(call)}\n`);
  const [answer] = (await once(child.stdout, "data")) as [Buffer];
  const { details } = JSON.parse(answer.toString("utf8")) as { details: { sessionId: string } };
  const state = openSqliteStore({ path: join(getStateFolder(cwd), "haft.db") });
  onTestFinished(() => state.close());
  const [run] = (await state.ledger.runs()).items;
  await expect.poll(async () => (await state.processes.list(run!.runId)).length).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");

  const host = await aHost(cwd);
  const session = await host.openSession({ ...SESSION, resume: true });
  expect(session.run).toMatchObject({ runId: run!.runId, epoch: 2 });
  const listed = await session.call(list);
  expect(contentToText(listed.content)).toContain(details.sessionId);
  expect(contentToText(listed.content)).toContain("its host has ended");
  expect(JSON.stringify(listed)).not.toContain(token);
  const polled = await session.call({
    name: "process",
    arguments: { action: "poll", sessionId: details.sessionId },
  });
  expect(polled).toMatchObject({ kind: "error", code: "RUNNER_LOST" });
  const removed = await session.call({
    name: "process",
    arguments: { action: "clear", sessionId: details.sessionId },
  });
  expect(removed.kind).toBe("ok");
  expect(await state.processes.list(run!.runId)).toEqual([]);
});

test("finds a surviving command by its identity and kills it, but no other process with its number", async () => {
  const cwd = await temporaryFolder();
  const first = await aHost(cwd);
  const session = await first.openSession(SESSION);
  await session.call({ name: "write", arguments: { path: "a.txt", content: "x" } });
  const { runId } = session.run!;
  await first.close();
  const survivor = spawn("sleep", ["54321"], { detached: true, stdio: "ignore" });
  onTestFinished(() => void survivor.kill("SIGKILL"));
  const { space } = getCurrentOwner();
  const { readProcessIdentity } = await import("@haft/system");
  const identity = readProcessIdentity(survivor.pid!)!;
  const state = openSqliteStore({ path: join(getStateFolder(cwd), "haft.db") });
  onTestFinished(() => state.close());
  const keep = (slug: string, started: number) =>
    state.processes.put(runId, {
      info: {
        id: `p-${slug}`,
        callerId: JSON.stringify(["haft-exec", "talk", slug]),
        pid: identity.pid,
        command: "sleep 54321",
        cwd,
        startedAt: Date.now(),
        state: "running",
        pty: false,
        stdin: "open",
        output: { total: 0, stdout: 0, stderr: 0, dropped: 0 } as never,
      },
      process: { pid: identity.pid, started, space },
      fate: "its host has ended, and it is not there any more",
    });
  await keep("calm-fox", identity.started);
  await keep("other-fox", identity.started - 1);

  const host = await aHost(cwd);
  const resumed = await host.openSession({ ...SESSION, resume: runId });
  const text = contentToText((await resumed.call(list)).content);
  expect(text).toMatch(new RegExp(`calm-fox running .*still runs as pid ${identity.pid}`));
  expect(text).toMatch(/other-fox failed .*not there any more/);
  const on = (action: string, sessionId: string) =>
    resumed.call({ name: "process", arguments: { action, sessionId } });
  expect(contentToText((await on("poll", "calm-fox")).content)).toContain(
    "output since then cannot be read here",
  );
  await on("kill", "other-fox");
  expect(survivor.exitCode ?? survivor.signalCode).toBeNull();
  const ended = once(survivor, "exit");
  expect(contentToText((await on("kill", "calm-fox")).content)).toContain(
    "Killed session calm-fox with its process group",
  );
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("shows no commands of another run", async () => {
  const cwd = await temporaryFolder();
  const host = await aHost(cwd);
  const first = await host.openSession(SESSION);
  await first.call({ name: "exec", arguments: { command: "sleep 4321", background: true } });
  const second = await host.openSession(SESSION);
  expect(contentToText((await second.call(list)).content)).toBe("No running or recent sessions.");
});
