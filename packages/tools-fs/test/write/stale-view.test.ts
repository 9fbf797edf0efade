import { createMemoryApprovals, Registry, SessionFactory } from "@haft/core/kernel";
import { contentToText } from "@haft/plugin-sdk";
import { createPolicy } from "@haft/policy";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFilesPlugin } from "../../src/plugin.ts";
import { temporaryWorkspace } from "../support/temporary-workspace.ts";

async function open(sessionKeys = ["s"]) {
  const { root, workspace } = await temporaryWorkspace({ "a.txt": "one\ntwo\n" });
  const plugin = createFilesPlugin();
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const policy = createPolicy({}, { tools: registry.catalogue() });
  const factory = new SessionFactory({ registry, policy, approvals: createMemoryApprovals() });
  const sessions = await Promise.all(
    sessionKeys.map((sessionKey) => factory.open({ kind: "main", sessionKey, workspace })),
  );
  const call = async (name: string, args: object, session = sessions[0]!) => {
    const outcome = await session.call({ name, arguments: args });
    return { ...outcome, text: contentToText(outcome.content) };
  };
  const path = join(root, "a.txt");
  return { call, path, sessions, content: () => readFileSync(path, "utf8") };
}

const whole = (content: string) => ({ path: "a.txt", content });

describe("a write over a file that the session has seen", () => {
  it("is refused with the difference if another program changed the file", async () => {
    const { call, path, content } = await open();
    await call("read", { path: "a.txt" });
    writeFileSync(path, "one\ntwo\nthree\n");
    const refused = await call("write", whole("ONE\ntwo\n"));
    expect(refused).toMatchObject({ kind: "error", code: "FILE_CHANGED", receipt: "none" });
    expect(refused.text).toContain("+three");
    expect(content()).toBe("one\ntwo\nthree\n");
    expect(await call("write", whole("ONE\ntwo\nthree\n"))).toMatchObject({ kind: "ok" });
  });

  it.each([
    ["a read", (call: Awaited<ReturnType<typeof open>>["call"]) => call("read", { path: "a.txt" })],
    ["a write", (call: Awaited<ReturnType<typeof open>>["call"]) => call("write", whole("one\n"))],
  ])("compares with %s by the path in any spelling", async (_, see) => {
    const { call, path } = await open();
    await see(call);
    writeFileSync(path, "changed\n");
    for (const spelled of ["./a.txt", path])
      expect((await call("write", { path: spelled, content: "x\n" })).kind).toBe(
        spelled === path ? "ok" : "error",
      );
  });

  it("knows the changes of the session itself", async () => {
    const { call, content } = await open();
    await call("read", { path: "a.txt" });
    await call("edit", { path: "a.txt", oldText: "two", newText: "2" });
    await call("apply_patch", {
      input: "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch",
    });
    expect(await call("write", whole("all new\n"))).toMatchObject({ kind: "ok" });
    expect(content()).toBe("all new\n");
  });

  it("asks for another read if the difference cannot be shown", async () => {
    const { call, path } = await open();
    await call("read", { path: "a.txt" });
    await call("edit", { path: "a.txt", oldText: "two", newText: "2" });
    writeFileSync(path, "changed\n");
    for (let turn = 0; turn < 2; turn += 1)
      expect((await call("write", whole(`x${turn}\n`))).text).toContain("Read it again");
    await call("read", { path: "a.txt" });
    expect(await call("write", whole("x\n"))).toMatchObject({ kind: "ok" });
  });

  it("asks for another read if the session has seen too many files since", async () => {
    const { call, path } = await open();
    await call("read", { path: "a.txt" });
    for (let file = 0; file < 90; file += 1)
      await call("write", { path: `big${file}.txt`, content: `${file}`.repeat(60_000) });
    writeFileSync(path, "changed\n");
    expect((await call("write", whole("x\n"))).text).toContain("Read it again");
  });

  it("does not compare with what another session has seen, or with a part of the file", async () => {
    const { call, path, sessions } = await open(["s", "t"]);
    await call("read", { path: "a.txt" }, sessions[0]);
    await call("read", { path: "a.txt", limit: 1 }, sessions[1]);
    writeFileSync(path, "changed\n");
    expect(await call("write", whole("x\n"), sessions[1])).toMatchObject({ kind: "ok" });
    expect(await call("write", whole("y\n"), sessions[0])).toMatchObject({ code: "FILE_CHANGED" });
  });
});
