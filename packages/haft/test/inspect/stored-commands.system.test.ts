import { openSqliteStore } from "@haft/store";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { call, isSkipped } from "../../../host/test/sandbox/support.ts";
import { openInspectedHost } from "../../../inspector/test/support/inspector-client.ts";
import { converse } from "../support/haft.ts";
import { startInspect } from "../support/start-inspect.ts";

const background = (id: string, command: string) => ({
  id,
  name: "exec",
  arguments: { command, background: true },
});

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

test("shows commands of another program while it runs, and no invented outcome after its end", async () => {
  const cwd = await temporaryFolder();
  const { page } = await startInspect(cwd);
  const other = converse(["--json", "--no-config"], cwd);
  other.send(background("s", "sleep 790"));
  await other.answer();
  other.send(background("e", "exit 3"));
  await other.answer();
  const found = async (command: string) =>
    (await page.get("/api/processes")).items.find((one: { command: string }) => one.command === command);
  const running = await vi.waitUntil(() => found("sleep 790"), { timeout: 60_000 });
  expect(running).toMatchObject({ state: "running", live: false, pid: expect.any(Number) });
  onTestFinished(() => endGroup(running.pid));
  const { heldBy } = await page.get(`/api/runs/${running.runId}`);
  expect(running.unknown).toContain(`process ${heldBy.pid} on `);
  // Its end is known by what that program writes down.
  other.send({ id: "k", name: "process", arguments: { action: "kill", sessionId: running.id } });
  await other.answer();
  const ended = await vi.waitUntil(
    async () => {
      const one = await found("sleep 790");
      return one.state === "exited" && one;
    },
    { timeout: 60_000 },
  );
  expect(ended).toMatchObject({ endedAt: expect.any(Number) });
  expect(ended).not.toHaveProperty("unknown");
  other.send(background("t", "sleep 791"));
  await other.answer();
  await vi.waitUntil(() => found("sleep 791"), { timeout: 60_000 });
  process.kill(heldBy.pid, "SIGKILL");
  const left = await vi.waitUntil(
    async () => {
      const one = await found("sleep 791");
      return one.unknown?.includes("its host has ended") === true && one;
    },
    { timeout: 60_000 },
  );
  onTestFinished(() => endGroup(left.pid));
  expect(left).toMatchObject({ live: false });
  expect(await page.get(`/api/runs/${running.runId}`)).toMatchObject({ state: "left" });
});

describe.skipIf(isSkipped)("contained commands", () => {
  test("are shown as contained if that is recorded, and otherwise as unknown", async () => {
    const { host, page, folder } = await openInspectedHost({ preset: "contained" });
    const session = await host.openSession({ sessionKey: "one" });
    await call(session, "exec", { command: "sleep 792", background: true });
    const found = async () =>
      (await page.get("/api/processes")).items.find(
        ({ sessionKey }: { sessionKey: string }) => sessionKey === "one",
      );
    const live = await vi.waitUntil(found, { timeout: 60_000 });
    expect(live).toMatchObject({ where: "view", live: true });
    const path = join(getStateFolder(folder), "haft.db");
    const store = openSqliteStore({ path });
    onTestFinished(() => store.close());
    const [recorded] = await vi.waitUntil(
      async () => {
        const all = await store.processes.list(live.runId);
        return all.length > 0 && all;
      },
      { timeout: 60_000 },
    );
    await session.close();
    expect(await found()).toMatchObject({ where: "view", live: false });
    const { where: _, ...older } = recorded!;
    await store.processes.put(live.runId, older);
    expect(await found()).toMatchObject({ where: "unknown", live: false });
  });
});
