import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
import { openSqliteStore } from "@haft/store";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { stateFile } from "../../src/host/open-store.ts";
import { operatorsFolder } from "../support/operators-folder.ts";

const { file, start } = operatorsFolder();

const UNCHANGED = { changed: false, problems: [], later: [] };
const DENIES_WRITE = "policy: { deny: [write] }\n";

describe("a reload at any time", () => {
  const slow = (entered: () => void, go: Promise<void>) =>
    definePlugin({
      id: "slow",
      tools: [
        defineTool({
          name: "slow",
          description: "Takes its time.",
          parameters: Type.Object({}),
          effects: ["write"],
          async execute() {
            entered();
            await go;
            return { content: [text("done")], details: {} };
          },
        }),
      ],
    });

  test("does not affect a running call", async () => {
    const config = await file("c.yaml", "{}");
    const entered = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const { host, call } = await start({ config, plugins: [slow(entered.resolve, go.promise)] });
    const running = call("slow", {});
    await entered.promise;
    await file("c.yaml", "policy: { deny: [slow] }");
    await host.reload();
    go.resolve();
    expect(await running).toMatchObject({ kind: "ok" });
    expect(await call("slow", {})).toMatchObject({ code: "POLICY_DENIED" });
  });

  test.each([
    ["denied now", "policy: { deny: [write] }", "POLICY_DENIED"],
    ["asked about no more", "{}", "ok"],
    ["asked about still", "policy: { ask: [write, edit] }", "waits"],
  ])("decides again about a call that waits for approval and is %s", async (_what, content, end) => {
    const config = await file("c.yaml", "policy: { ask: [write] }");
    const { host, session, call } = await start({ config });
    const ended: string[] = [];
    session.subscribe((event) => {
      if (event.type === "tool-end") ended.push(event.outcome.kind === "ok" ? "ok" : event.outcome.code);
    });
    const { approvalId } = (await call("write", { path: "a.txt", content: "a" })) as { approvalId: string };
    await file("c.yaml", content);
    expect(await host.reload()).toMatchObject({ changed: true, problems: [] });
    if (end === "waits") {
      expect(session.pendingApprovals()).toMatchObject([{ approvalId }]);
      await session.resolveApproval(approvalId, "allow-once");
      expect(ended).toEqual(["ok"]);
      return;
    }
    await until("the call has ended", () => ended.length > 0);
    expect(ended).toEqual([end]);
    await expect(session.resolveApproval(approvalId, "allow-once")).rejects.toMatchObject({
      code: "APPROVAL_NOT_FOUND",
    });
  });

  test("withdraws a pending approval that is denied now, in other processes as well", async () => {
    const config = await file("c.yaml", "policy: { ask: [write, edit] }");
    const stateDir = join(dirname(config), "state");
    const { host, call } = await start({ config, stateDir });
    await call("write", { path: "a.txt", content: "a" });
    const store = openSqliteStore({ path: stateFile(stateDir) });
    onTestFinished(() => store.close());
    const elsewhere = store.approvals;
    const { approvalId } = (await call("edit", { path: "a.txt", oldText: "a", newText: "b" })) as {
      approvalId: string;
    };
    expect(await elsewhere.requests()).toHaveLength(2);
    await file("c.yaml", "policy: { deny: [write], ask: [edit] }");
    await host.reload();
    await until("one request is left", async () => (await elsewhere.requests()).length === 1);
    expect(await elsewhere.requests()).toMatchObject([{ approvalId }]);
  });

  test("with a broken file keeps a pending call and accepts its answer", async () => {
    const config = await file("c.yaml", "policy: { ask: [write] }");
    const { host, session, call } = await start({ config });
    const { approvalId } = (await call("write", { path: "a.txt", content: "a" })) as { approvalId: string };
    await file("c.yaml", "policy: [");
    await host.reload();
    expect(await session.resolveApproval(approvalId, "allow-once")).toMatchObject({ kind: "ok" });
  });

  test("runs concurrent reloads one after the other, and the last file content applies", async () => {
    const config = await file("c.yaml", "{}");
    const { host, effectOf } = await start({ config });
    await file("c.yaml", "policy: { deny: [edit] }");
    const first = host.reload();
    await file("c.yaml", DENIES_WRITE);
    const second = host.reload();
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ problems }) => problems)).toEqual([[], []]);
    expect(answers.some(({ changed }) => changed)).toBe(true);
    expect([await effectOf("write"), await effectOf("edit")]).toEqual(["deny", "allow"]);
  });

  test("gives a session that is opened during it the same rules as others", async () => {
    const config = await file("c.yaml", "{}");
    const { host } = await start({ config });
    await file("c.yaml", DENIES_WRITE);
    const [session] = await Promise.all([host.openSession({ kind: "group" }), host.reload()]);
    expect(session.missing()).toContainEqual(expect.objectContaining({ name: "write" }));
  });

  test("is refused after the host was closed and while it closes", async () => {
    const config = await file("c.yaml", "{}");
    const { host } = await start({ config });
    await file("c.yaml", DENIES_WRITE);
    const reloading = host.reload();
    await host.close();
    await expect(reloading).rejects.toMatchObject({ code: "HOST_CLOSED" });
    await expect(host.reload()).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });

  test("changes nothing in a host without files", async () => {
    const { host } = await start({ administratorPolicy: false, policy: { deny: ["write"] } });
    await file("w/haft.config.yaml", "policy: { deny: [edit] }");
    expect(await host.reload()).toEqual(UNCHANGED);
  });
});
