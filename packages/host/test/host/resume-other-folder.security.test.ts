import type { SessionKind } from "@haft/core";
import { readdir, realpath } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createHost } from "../../src/host/host.ts";

const written = { id: "1", name: "write", arguments: { path: "a", content: "1" } };

/** Sessions of one conversation whose host has one state folder, whatever it works in. */
async function aRun() {
  const root = await realpath(await temporaryFolder());
  const open = async (workspaceDir: string, options: { kind?: SessionKind; resume?: true | string } = {}) => {
    const host = await createHost({ workspaceDir, stateDir: getStateFolder(root) });
    onTestFinished(() => host.close());
    return host.openSession({ sessionKey: "chat", ...options });
  };
  const session = await open(root);
  expect(await session.call(written)).toMatchObject({ kind: "ok" });
  const { runId } = session.run!;
  await session.close();
  return { root, runId, open };
}

test("a session in one folder cannot resume a run of another folder", async () => {
  const { root, runId, open } = await aRun();
  const other = await realpath(await temporaryFolder());
  for (const resume of [true, runId] as const)
    await expect(open(other, { resume })).rejects.toMatchObject({
      code: "RUN_ELSEWHERE",
      receipt: "none",
      message: expect.stringContaining(root),
    });
  expect(await readdir(other)).toEqual([]);
  const again = await open(root, { resume: true });
  expect(await again.call(written)).toMatchObject({ kind: "ok", replayed: true });
});

test("a group session cannot resume a run of a main session", async () => {
  const { root, runId, open } = await aRun();
  for (const resume of [true, runId] as const)
    await expect(open(root, { kind: "group", resume })).rejects.toMatchObject({
      code: "RUN_ELSEWHERE",
      message: expect.stringContaining("main session"),
    });
  const groupSession = await open(root, { kind: "group" });
  expect(groupSession.run).toBeUndefined();
});
