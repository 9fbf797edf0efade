import { type CallRecord, createMemoryStore, type LedgerStore, type Session } from "@haft/core/kernel";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";

async function createFixture(options: HostOptions = {}) {
  const root = await realpath(await temporaryFolder());
  const host = await createHost({ workspaceDir: root, stateDir: getStateFolder(root), ...options });
  onTestFinished(() => host.close());
  const text = (path: string) => readFile(join(root, path), "utf8");
  return { root, host, text };
}

async function did(session: Session, name: string, args: object): Promise<string> {
  const outcome = await session.call({ name, arguments: args });
  expect(outcome).toMatchObject({ kind: "ok" });
  return outcome.toolCallId;
}

const write = (session: Session, path: string, content: string) => did(session, "write", { path, content });

describe("a refused rewind", () => {
  test("concerns a call that the session never made, or a session without a journal", async () => {
    const { host } = await createFixture();
    const session = await host.openSession();
    await expect(session.rewind("call_1")).rejects.toMatchObject({
      code: "REWIND_UNAVAILABLE",
      receipt: "none",
      fix: expect.stringContaining("ledger()"),
    });
    const { host: forgetful } = await createFixture({ stateDir: false });
    const other = await forgetful.openSession();
    const call = await write(other, "a", "1");
    await expect(other.rewind(call)).rejects.toMatchObject({ code: "REWIND_UNAVAILABLE" });
  });

  test("has unknown options, so that a misspelt dry run writes nothing", async () => {
    const { host, text } = await createFixture();
    const session = await host.openSession();
    const call = await write(session, "a", "1");
    for (const options of [{ dryrun: true }, { dryRun: "yes" }, { signal: 5 }, null]) {
      const rewound = session.rewind(call, options as { dryRun?: boolean });
      await expect(rewound).rejects.toMatchObject({ code: "INVALID_OPTIONS", receipt: "none" });
    }
    expect(await text("a")).toBe("1");
  });

  test("would write files that the policy denies", async () => {
    const { host, text } = await createFixture({ policy: { deny: ["write"] } });
    const session = await host.openSession();
    const patch = "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch";
    const call = await did(session, "apply_patch", { input: patch });
    await expect(session.rewind(call)).rejects.toMatchObject({
      code: "REWIND_DENIED",
      category: "policy",
      receipt: "none",
      fix: expect.stringContaining("haft undo"),
    });
    expect(await text("a")).toBe("1\n");
  });

  test("happens while a call may change files, but a dry run still reports", async () => {
    const { host, text } = await createFixture({ backgroundMs: "never" });
    const session = await host.openSession();
    const call = await write(session, "a", "1");
    const running = session.call({ id: "long", name: "exec", arguments: { command: "sleep 60" } });
    await expect.poll(() => session.ledger().at(-1)?.status).toBe("executing");
    await expect(session.rewind(call)).rejects.toMatchObject({
      code: "REWIND_BUSY",
      message: expect.stringContaining("long"),
    });
    expect(await session.rewind(call, { dryRun: true })).toMatchObject({
      dryRun: true,
      files: [{ path: "a" }],
    });
    session.abort("long");
    await running;
    await session.rewind(call);
    await expect(text("a")).rejects.toThrow("ENOENT");
  });

  test("would revert changes of another session, even with equal call ids", async () => {
    const { host, text } = await createFixture();
    const [one, other] = [
      await host.openSession({ sessionKey: "k" }),
      await host.openSession({ sessionKey: "k" }),
    ];
    const first = await write(one, "mine", "1");
    const second = await write(other, "theirs", "1");
    await write(one, "both", "1");
    await write(other, "both", "2");
    expect(second).toBe(first);
    expect(await one.rewind(first)).toMatchObject({
      refused: true,
      conflicts: [{ path: expect.stringMatching(/both$/) }],
      files: [{ path: "mine", kind: "deleted" }],
    });
    expect(await one.rewind(first, { skipConflicts: true })).toMatchObject({ refused: false });
    await expect(text("mine")).rejects.toThrow("ENOENT");
    expect([await text("theirs"), await text("both")]).toEqual(["1", "2"]);
  });
});

describe("a rewind", () => {
  test("reverts everything since a call, lists the rest, and can be followed by an earlier rewind", async () => {
    const { root, host, text } = await createFixture();
    await writeFile(join(root, "kept"), "one\ntwo\n");
    const session = await host.openSession();
    const first = await write(session, "a", "1");
    const second = await did(session, "edit", { path: "kept", oldText: "two", newText: "2" });
    const made = await did(session, "exec", { command: "true\necho made > left" });
    await did(session, "read", { path: "kept" });
    await write(session, "a", "2");
    const report = await session.rewind(second);
    expect(report).toMatchObject({
      toolCallId: second,
      refused: false,
      conflicts: [],
      calls: [second, expect.any(String)],
      notUndone: [
        {
          toolCallId: made,
          toolName: "exec",
          what: "true; echo made > left",
          why: expect.stringContaining("its changes remain"),
        },
      ],
    });
    expect([await text("a"), await text("kept"), await text("left")]).toEqual(["1", "one\ntwo\n", "made\n"]);
    expect(await session.rewind(first)).toMatchObject({ conflicts: [], refused: false });
    await expect(text("a")).rejects.toThrow("ENOENT");
    await host.changes.undo(report.transactionId!).then(
      () => expect.unreachable(),
      (thrown: unknown) => expect(thrown).toMatchObject({ code: "UNDO_CONFLICT" }),
    );
  });

  test("works after a restart in a resumed session", async () => {
    const { root, host, text } = await createFixture();
    await mkdir(join(root, "in"));
    await writeFile(join(root, "in/a"), "1");
    const before = await host.openSession({ sessionKey: "k" });
    const call = await write(before, "in/a", "2");
    await host.close();
    const again = await createHost({ workspaceDir: root, stateDir: getStateFolder(root) });
    onTestFinished(() => again.close());
    const session = await again.openSession({ sessionKey: "k", resume: true });
    await write(session, "in/a", "3");
    expect(await session.rewind(call)).toMatchObject({ calls: [call, expect.any(String)], conflicts: [] });
    expect(await text("in/a")).toBe("1");
  });
});

describe("the record of a rewind", () => {
  async function recorded(options: HostOptions = {}) {
    const store = createMemoryStore();
    const { root, host, text } = await createFixture({ store, ...options });
    const session = await host.openSession({ sessionKey: "k" });
    const first = await write(session, "a", "1");
    const rewinds = async () => (await store.calls({ toolName: "rewind", order: "oldest" })).items;
    return { root, store, host, text, session, first, rewinds };
  }

  test("is written before the first file and after the last, with reverted files, conflicts and omissions", async () => {
    const { root, text, session, first, rewinds } = await recorded({ record: "full" });
    await write(session, "b", "1");
    await writeFile(join(root, "b"), "theirs");
    expect(await session.rewind(first, { dryRun: true })).not.toHaveProperty("recordedAs");
    expect(await rewinds()).toEqual([]);
    expect(await session.rewind(first)).toMatchObject({
      refused: true,
      dryRun: false,
      recordedAs: "rewind_1",
    });
    expect(await session.rewind(first, { skipConflicts: true })).toMatchObject({ recordedAs: "rewind_2" });
    await expect(text("a")).rejects.toThrow("ENOENT");
    expect(session.ledger().map(({ toolCallId }) => toolCallId)).toEqual([
      first,
      "call_2",
      "rewind_1",
      "rewind_2",
    ]);
    await session.close();
    const expected = { conflicts: [{ path: join(root, "b") }] };
    expect(await rewinds()).toMatchObject([
      {
        toolCallId: "rewind_1",
        status: "failed",
        code: "REWIND_CONFLICT",
        receipt: "none",
        result: { details: expected },
      },
      {
        toolCallId: "rewind_2",
        status: "completed",
        receipt: "committed",
        args: { to: first, skipConflicts: true },
        plan: { subjects: { paths: [{ path: join(root, "a"), access: "write" }] } },
        result: { details: { ...expected, files: [{ path: "a", kind: "deleted" }] } },
      },
    ]);
  });

  test("is required: without it nothing is reverted", async () => {
    const memory = createMemoryStore();
    let isBroken = false;
    const store: LedgerStore = {
      ...methodsOf(memory),
      async open(opening) {
        const run = await memory.open(opening);
        const keep = run.write.bind(run);
        return Object.assign(Object.create(run) as typeof run, {
          write(calls: readonly CallRecord[]) {
            if (isBroken) throw new Error("the disk is full");
            return keep(calls);
          },
        });
      },
    };
    const { text, session, first } = await recorded({ store });
    isBroken = true;
    await expect(session.rewind(first)).rejects.toMatchObject({ code: "LEDGER_UNAVAILABLE" });
    expect(await text("a")).toBe("1");
    isBroken = false;
    expect(await session.rewind(first)).toMatchObject({ refused: false, recordedAs: "rewind_2" });
  });

  test("remains after a resume, and an earlier rewind includes it", async () => {
    const { host, session, first, text } = await recorded();
    const second = await write(session, "a", "2");
    await session.rewind(second);
    await session.close();
    const again = await host.openSession({ sessionKey: "k", resume: true });
    expect(again.ledger().map(({ toolCallId }) => toolCallId)).toEqual([first, second, "rewind_1"]);
    const report = await again.rewind(first);
    expect(report).toMatchObject({ conflicts: [], notUndone: [], recordedAs: "rewind_2" });
    await expect(text("a")).rejects.toThrow("ENOENT");
  });
});

function methodsOf(store: LedgerStore): LedgerStore {
  return {
    open: store.open.bind(store),
    runs: store.runs.bind(store),
    calls: store.calls.bind(store),
    run: store.run.bind(store),
    call: store.call.bind(store),
    forget: store.forget.bind(store),
    close: store.close.bind(store),
  };
}
