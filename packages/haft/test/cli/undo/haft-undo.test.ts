import { readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { createHost } from "../../../src/index.ts";
import { haftHere } from "../../support/haft.ts";

/** A folder in which a session did something: `one`, `two` written, both at once patched, `left` made by a command. */
async function conversation(options: { open?: boolean } = {}) {
  const cwd = await realpath(await temporaryFolder());
  const host = await createHost({ workspaceDir: cwd, stateDir: getStateFolder(cwd), backgroundMs: "never" });
  onTestFinished(() => host.close());
  const session = await host.openSession({ sessionKey: "chat" });
  const call = async (name: string, args: object) => session.call({ name, arguments: args });
  await call("write", { path: "one", content: "1\n" });
  await call("write", { path: "two", content: "1\n" });
  await call("exec", { command: "echo made > left" });
  const patch = ["one", "two"].map((path) => `*** Update File: ${path}\n-1\n+2`).join("\n");
  await call("apply_patch", { input: `*** Begin Patch\n${patch}\n*** End Patch` });
  if (options.open !== true) await host.close();
  const undo = (...args: string[]) => haftHere(["undo", ...args], { cwd });
  return { cwd, session, undo, text: (path: string) => readFile(join(cwd, path), "utf8") };
}

describe("no restore", () => {
  test("happens without records, without that session and without that call", async () => {
    const cwd = await temporaryFolder();
    expect(await haftHere(["undo", "chat", "--to", "call_1", "--json"], { cwd })).toMatchObject({ code: 1 });
    const { undo } = await conversation();
    for (const [args, error] of [
      [["nobody", "--to", "call_1"], "RUN_NOT_FOUND"],
      [["chat", "--to", "call_9"], "RUN_NOT_FOUND"],
    ] as const) {
      const run = await undo(...args, "--json");
      expect([run.code, run.lines()[0]]).toMatchObject([1, { error }]);
    }
  });

  test("happens in another folder, which is named", async () => {
    const { cwd } = await conversation();
    const other = await temporaryFolder();
    const env = { HAFT_STATE_DIR: getStateFolder(cwd) };
    const run = await haftHere(["undo", "chat", "--to", "call_1"], { cwd: other, env });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining(`--workspace ${cwd}`) });
  });

  test("happens with a conflict, with its reason and a way to restore the rest", async () => {
    const { cwd, undo, text } = await conversation();
    await writeFile(join(cwd, "two"), "theirs\n");
    const { code, stdout } = await undo("chat", "--to", "call_2");
    expect({ code, stdout: stdout.replaceAll(cwd, "…") }).toEqual({
      code: 1,
      stdout: `Nothing was restored, because these files would lose other changes:
  …/two: something else changed it after call_4

With --skip-conflicts 1 file would be as before call_2:
  M one  +1 -1

Not undone:
  call_3 exec \`echo made > left\`: ran since; its changes remain
`,
    });
    expect([await text("one"), await text("two")]).toEqual(["2\n", "theirs\n"]);
    expect(await undo("chat", "--to", "call_2", "--skip-conflicts")).toMatchObject({ code: 0 });
    expect([await text("one"), await text("two")]).toEqual(["1\n", "theirs\n"]);
  });

  test("happens while a call of the session runs", async () => {
    const { session, undo } = await conversation({ open: true });
    const running = session.call({ id: "long", name: "exec", arguments: { command: "sleep 60" } });
    await expect.poll(() => session.ledger().at(-1)?.status).toBe("executing");
    const run = await undo("chat", "--to", "call_1");
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/long \(exec\).* still runs, in process/),
    });
    session.abort("long");
    await running;
  });
});

describe("a restore", () => {
  test("is shown, then done, and can be reverted", async () => {
    const { cwd, undo, text } = await conversation();
    const shown = await undo("chat", "--to", "call_2", "-n");
    expect(shown.stdout).toContain(
      "Would restore 2 files, as before call_2:\n  D two  +0 -1\n  M one  +1 -1\n",
    );
    expect(await text("two")).toBe("2\n");
    const done = await undo("chat", "--to", "call_2");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect([await readdir(cwd), await text("one")]).toEqual([["left", "one"], "1\n"]);
    const [, id] = /haft undo (\S+)/.exec(done.stdout)!;
    expect((await haftHere(["undo", id!], { cwd })).code).toBe(0);
    expect([await text("one"), await text("two")]).toEqual(["2\n", "2\n"]);
  });

  test("stops at a command, whose effects stay, and prints data", async () => {
    const { undo, text } = await conversation();
    const [report] = (await undo("chat", "--to", "call_3", "--json")).lines();
    expect(report).toMatchObject({
      toolCallId: "call_3",
      refused: false,
      conflicts: [],
      calls: ["call_4"],
      notUndone: [{ toolCallId: "call_3", toolName: "exec" }],
    });
    expect([await text("one"), await text("two"), await text("left")]).toEqual(["1\n", "1\n", "made\n"]);
  });

  test("has nothing to do for a change that was undone before", async () => {
    const { cwd, undo } = await conversation();
    const [{ changes }] = (await haftHere(["undo", "--json"], { cwd })).lines();
    const { transactionId } = changes[0];
    expect((await undo(transactionId)).code).toBe(0);
    expect((await undo("chat", "--to", "call_4", "--json")).lines()).toMatchObject([
      { refused: false, files: [], calls: [], notUndone: [] },
    ]);
    await writeFile(join(cwd, "one"), "theirs\n");
    const listed = (await undo()).stdout;
    expect(listed).toContain(`changed since ${transactionId}`);
    expect(listed).not.toContain("Nothing was changed");
    const { code, stderr } = await undo(`${transactionId.slice(0, -1)}x`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Did you mean haft undo ${transactionId}`)]);
  });

  test("uses the facts of changes if the ledger is deleted", async () => {
    const { cwd, undo, text } = await conversation();
    for (const name of await readdir(getStateFolder(cwd)))
      if (name.startsWith("haft.db")) await rm(join(getStateFolder(cwd), name));
    expect(await undo("chat", "--to", "call_4")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("commands that ran since are unknown"),
    });
    expect([await text("one"), await text("two")]).toEqual(["1\n", "1\n"]);
  });
});

describe("the record of a restore", () => {
  test("belongs to the conversation, next to its sessions", async () => {
    const { cwd, undo, text } = await conversation();
    const ledger = (...args: string[]) => haftHere(["ledger", ...args], { cwd });
    await undo("chat", "--to", "call_2", "-n");
    expect((await ledger("--session", "chat")).stdout).not.toContain("rewind");
    await undo("chat", "--to", "call_2");
    const { stdout } = await ledger("--session", "chat");
    expect(stdout).toMatch(/agent haft undo, .*\n.*\n.* rewind_1 +rewind .*call_2.* ok +committed/);
    const [run] = /\w+(?= .*agent haft undo)/.exec(stdout)!;
    const shown = (await ledger("show", run, "rewind_1")).stdout;
    expect(shown).toContain("The operator requested it (haft undo).");
    expect(shown).toMatch(/Restored 2 files to the state before call_2\.\n +deleted two/);
    expect(shown).toContain("not undone call_3 exec");
    const [found] = (
      await ledger("--session", "chat", "--path", "one", "--tool", "rewind", "--json")
    ).lines();
    expect(found.calls).toMatchObject([{ toolCallId: "rewind_1" }]);
    // A conversation goes on in its own runs, and is put back further by them.
    expect(await undo("chat", "--to", "call_1")).toMatchObject({ code: 0 });
    await expect(text("one")).rejects.toThrow("ENOENT");
    const last = (await ledger("show", "last", "--session", "chat", "--json")).lines()[0];
    expect(last.run.facts.agentId).toBe("main");
    expect((await ledger("replay", "last", "--session", "chat", "--policy", "p.yaml")).code).toBe(2);
  });

  test("is written while a program holds the session, and lists conflicts", async () => {
    const { cwd, undo, session } = await conversation({ open: true });
    await writeFile(join(cwd, "two"), "theirs\n");
    expect(await undo("chat", "--to", "call_2")).toMatchObject({ code: 1 });
    expect(await undo("chat", "--to", "call_2", "--skip-conflicts")).toMatchObject({ code: 0 });
    const { stdout } = await haftHere(["ledger", "--session", "chat"], { cwd });
    expect(stdout).toMatch(/rewind .* ERROR REWIND_CONFLICT +none/);
    expect(stdout).toMatch(/rewind .* ok +committed/);
    expect(await session.call({ name: "read", arguments: { path: "one" } })).toMatchObject({ kind: "ok" });
  });

  test("is required for a restore", async () => {
    const { cwd, undo, text } = await conversation();
    const other = new DatabaseSync(join(getStateFolder(cwd), "haft.db"));
    other.exec("BEGIN IMMEDIATE");
    const { code, stderr } = await undo("chat", "--to", "call_2");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("[STORE_LOCKED]") });
    expect(await text("one")).toBe("2\n");
    other.exec("COMMIT");
    other.close();
  });

  test("covers separate calls, each of which is a run, from any of them on", async () => {
    const cwd = await realpath(await temporaryFolder());
    const text = (path: string) => readFile(join(cwd, path), "utf8");
    const call = async (tool: string, args: object) => {
      const run = await haftHere(["tools", "call", tool, JSON.stringify(args)], { cwd });
      expect(run).toMatchObject({ code: 0 });
    };
    await call("write", { path: "one", content: "1\n" });
    await call("write", { path: "one", content: "2\n" });
    await call("exec", { command: "echo made > left" });
    await call("write", { path: "two", content: "2\n" });
    const { calls } = (await haftHere(["ledger", "list", "--json"], { cwd })).lines()[0] as {
      calls: { runId: string; createdAt: number }[];
    };
    const [, second] = calls.toSorted((a, b) => a.createdAt - b.createdAt).map(({ runId }) => runId);
    const undo = (...args: string[]) => haftHere(["undo", "last", ...args], { cwd });

    const shown = await undo("--to", second!, "-n");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/M one {2}\+1 -1[^]*D two/) });
    expect(shown.stdout).toMatch(/call_1 of \S+ exec `echo made > left`: ran since/);
    const done = await undo("--to", second!);
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect([await readdir(cwd), await text("one")]).toEqual([["left", "one"], "1\n"]);

    const [, id] = /haft undo (\S+)/.exec(done.stdout)!;
    expect((await haftHere(["undo", id!], { cwd })).code).toBe(0);
    // The newest run with a call_1.
    expect((await undo("--to", "call_1")).stdout).toMatch(/D two/);
    expect([await readdir(cwd), await text("one")]).toEqual([["left", "one"], "2\n"]);
    expect(await undo("--to", "0zzzzzzz")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no call") as string,
    });
  });
});
