import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { createHost } from "../../src/host/host.ts";
import { openHost } from "../support/open-host.ts";

async function twoHosts() {
  const root = await realpath(await temporaryFolder());
  const open = async () => {
    const host = await createHost({ workspaceDir: root, stateDir: getStateFolder(root) });
    onTestFinished(() => host.close());
    return host;
  };
  return { root, first: await open(), second: await open() };
}

test("a closed host opens no session and creates nothing", async () => {
  const { root, first } = await twoHosts();
  await first.close();
  await expect(first.openSession()).rejects.toMatchObject({ code: "HOST_CLOSED", receipt: "none" });
  const resumed = first.openSession({ sessionKey: "chat", resume: true });
  await expect(resumed).rejects.toMatchObject({ code: "HOST_CLOSED" });
  await expect(first.pendingApprovals()).rejects.toMatchObject({ code: "HOST_CLOSED" });
  expect(existsSync(getStateFolder(root))).toBe(false);
});

test("a host that is closed twice at once stores all calls of its sessions", async () => {
  const { first, second } = await twoHosts();
  const session = await first.openSession({ sessionKey: "chat" });
  const calls = [1, 2, 3].map((id) => session.call({ id: `${id}`, name: "ls", arguments: { path: "." } }));
  await calls[0];
  await Promise.all([first.close(), first.close()]);
  await Promise.all(calls);
  const again = await second.openSession({ sessionKey: "chat", resume: true });
  const recorded = again.ledger().map(({ toolCallId, status }) => ({ toolCallId, status }));
  expect(recorded).toMatchObject(["1", "2", "3"].map((toolCallId) => ({ toolCallId })));
  expect(recorded.filter(({ status }) => status === "executing" || status === "pending")).toEqual([]);
});

test("a host that decides a call of another host learns the command that can decide it", async () => {
  const { root } = await twoHosts();
  const open = (sessionKey: string) =>
    openHost({ workspaceDir: root, stateDir: getStateFolder(root), policy: { ask: ["write"] } }).then(
      (host) => host.openSession({ sessionKey }),
    );
  const [asking, deciding] = [await open("a"), await open("b")];
  const pending = await asking.call({ name: "write", arguments: { path: "a", content: "x" } });
  if (pending.kind !== "pending") throw new Error("It must wait.");
  await expect(deciding.resolveApproval(pending.approvalId, "deny")).rejects.toMatchObject({
    code: "APPROVAL_NOT_FOUND",
    fix: expect.stringContaining(`haft approvals answer ${pending.approvalId}`),
  });
});

test("a closing host does not wait for a run that another host holds", async () => {
  const { first, second } = await twoHosts();
  const session = await first.openSession({ sessionKey: "chat" });
  await session.call({ name: "ls", arguments: {} });
  await expect.poll(() => session.run).toBeDefined();
  const { signal } = new AbortController();
  const waiting = [{}, { signal }].map((one) =>
    second.openSession({ sessionKey: "chat", resume: true, takeOver: true, ...one }),
  );
  const ended = Promise.allSettled(waiting);
  await second.close();
  for (const one of await ended)
    expect(one).toMatchObject({ status: "rejected", reason: { code: "HOST_CLOSED" } });
  expect(await session.call({ name: "write", arguments: { path: "a", content: "1" } })).toMatchObject({
    kind: "ok",
  });
});
