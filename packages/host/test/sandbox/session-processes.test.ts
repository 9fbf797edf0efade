import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { filterSessionProcesses } from "../../src/sandbox/sandboxes.ts";

/** Two sessions that share the processes of one workspace. */
async function twoSessions() {
  const folder = await temporaryFolder();
  const shared = createHostProcesses({
    workspace: createHostWorkspace({ root: folder }),
    stateFolder: `${folder}-state/runs`,
  });
  onTestFinished(() => shared.close());
  return {
    shared,
    one: filterSessionProcesses(() => shared, "one"),
    other: filterSessionProcesses(() => shared, "other"),
    again: filterSessionProcesses(() => shared, "one"),
  };
}

test("a session does not see the processes of another session", async () => {
  const { one, other, again } = await twoSessions();
  const started = await one.start("same", { script: "read line; echo $line", stdin: "open" });
  const others = await other.start("same", { script: "echo theirs" });
  expect(started.callerId).toBe("same");
  expect(others.id).not.toBe(started.id);
  expect((await one.list()).map(({ id }) => id)).toEqual([started.id]);
  expect(await other.info(started.id)).toBeUndefined();
  const missing = { code: "PROCESS_NOT_FOUND" };
  const { id } = started;
  const attempts = [
    other.read(id, 0),
    other.write(id, Buffer.from("x")),
    other.closeStdin(id),
    other.signal(id, "SIGINT"),
    other.kill(id),
    other.resize(id, { cols: 1, rows: 1 }),
    other.wait(id),
    other.release(id),
  ];
  for (const attempt of attempts) await expect(attempt).rejects.toMatchObject(missing);
  // The same session, known by a host that was started again.
  expect((await again.list()).map(({ callerId }) => callerId)).toEqual(["same"]);
  await again.write(id, Buffer.from("hello\n"));
  expect(await again.wait(id)).toMatchObject({ exitCode: 0, callerId: "same" });
  const { chunks } = await one.read(id, 0);
  expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe("hello\n");
  await one.release(id);
  expect(await one.info(id)).toBeUndefined();
});

test("a session ends only its own processes", async () => {
  const { shared, one, other } = await twoSessions();
  await one.start("a", { script: "sleep 60 & sleep 60" });
  await other.start("b", { script: "sleep 60" });
  await one.end();
  expect((await shared.list()).map(({ callerId }) => callerId)).toEqual(["other b"]);
  await other.end();
  expect(await shared.list()).toEqual([]);
});
