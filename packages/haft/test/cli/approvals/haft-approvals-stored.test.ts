import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

const GROUP = ["--json", "--session", "group"];
const TOUCH = { name: "exec", arguments: { command: "touch a" } };
const exists = (cwd: string, path: string): boolean => existsSync(join(cwd, path));

describe("a pending call of a program that has ended", () => {
  /** The id of a call that waits, and nobody is there. */
  async function left(cwd: string, call: object = TOUCH, options = GROUP): Promise<string> {
    const run = await haftHere(["run", ...options], { cwd, input: JSON.stringify({ id: "1", ...call }) });
    return run.lines()[0].approvalId;
  }
  const resumed = async (cwd: string, options = GROUP) =>
    (await haftHere(["run", ...options, "--resume"], { cwd })).lines();
  const again = ["tools", "call", "exec", '{"command":"touch a"}', "--session", "group"];

  test("waits, and a stored answer allows the same call once", async () => {
    const cwd = await temporaryFolder();
    const id = await left(cwd);
    expect((await haftHere(["approvals"], { cwd })).stdout).toMatch(
      /The program has ended. The call waits until its session is resumed: haft run --resume \w+ --session group\n$/,
    );
    const answered = await haftHere(["approvals", "answer", id, "allow"], { cwd });
    expect(answered).toMatchObject({ code: 0, stderr: "" });
    expect(answered.stdout).toMatch(/allowed once\.\nThe program has ended\. The answer is stored for a day/);
    expect(exists(cwd, "a")).toBe(false);
    const twice = await haftHere(["approvals", "answer", id, "deny"], { cwd });
    expect(twice).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was already decided. The answer"),
    });
    expect(await haftHere(again, { cwd })).toMatchObject({ code: 0 });
    expect(exists(cwd, "a")).toBe(true);
    const used = await haftHere(["approvals", "answer", id, "allow"], { cwd });
    expect(used.stderr).toContain("was already decided.");
    expect((await haftHere(again, { cwd })).code).toBe(1);
  });

  test("runs after its session resumes, even without other input", async () => {
    const cwd = await temporaryFolder();
    const id = await left(cwd);
    await haftHere(["approvals", "answer", id, "allow"], { cwd });
    expect(await resumed(cwd)).toMatchObject([{ toolCallId: "1", kind: "ok", resumed: true }]);
    expect(exists(cwd, "a")).toBe(true);
    expect(await resumed(cwd)).toEqual([]);
  });

  test("does not run if its program has changed since the answer, and names the program", async () => {
    const cwd = await temporaryFolder();
    writeFileSync(join(cwd, "run.sh"), "#!/bin/sh\ntouch a\n", { mode: 0o755 });
    const approvalId = await left(cwd, { name: "exec", arguments: { command: "./run.sh" } });
    await haftHere(["approvals", "answer", approvalId, "allow"], { cwd });
    writeFileSync(join(cwd, "run.sh"), "#!/bin/sh\ntouch a evil\n", { mode: 0o755 });
    const lines = await resumed(cwd);
    expect(lines).toMatchObject([{ kind: "blocked", code: "APPROVAL_OUTDATED", resumed: true }]);
    expect(lines[0].content[0].text).toContain("./run.sh");
    expect(exists(cwd, "a")).toBe(false);
  });

  test.for([
    ["echo x > a.txt", "a.txt"],
    ["echo x >> a.txt", "a.txt"],
    ["bash < s.sh", "s.sh"],
  ] as const)("does not run `%s` if %s has changed since the answer", async ([command, name]) => {
    const cwd = await temporaryFolder();
    const elsewhere = join(await temporaryFolder(), "t");
    writeFileSync(elsewhere, "echo evil > evil\n");
    if (name === "s.sh") writeFileSync(join(cwd, name), "echo good > good\n");
    const approvalId = await left(cwd, { name: "exec", arguments: { command } });
    rmSync(join(cwd, name), { force: true });
    symlinkSync(elsewhere, join(cwd, name));
    await haftHere(["approvals", "answer", approvalId, "allow"], { cwd });
    const lines = await resumed(cwd);
    expect(lines).toMatchObject([{ kind: "blocked", code: "APPROVAL_OUTDATED", resumed: true }]);
    expect(lines[0].content[0].text).toContain(name);
    expect(readFileSync(elsewhere, "utf8")).toBe("echo evil > evil\n");
    expect(exists(cwd, "evil")).toBe(false);
  });

  const PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch";

  test.for([
    ["write", { path: "a.txt", content: "new\n" }, "user\n"],
    ["write", { path: "n.txt", content: "new\n" }, "user\n"],
    ["edit", { path: "a.txt", oldText: "one", newText: "1" }, "one\nuser\n"],
    ["apply_patch", { input: PATCH }, "one\nuser\n"],
  ] as const)(
    "does not write with %s %o if the file has changed since the answer",
    async ([tool, args, content]) => {
      const cwd = await temporaryFolder();
      const name = "path" in args ? args.path : "a.txt";
      writeFileSync(join(cwd, "a.txt"), "one\n");
      writeFileSync(
        join(cwd, "policy.json"),
        JSON.stringify({ sessions: { group: { grant: [tool], ask: [tool] } } }),
      );
      const options = [...GROUP, "--policy", "policy.json"];
      const approvalId = await left(cwd, { name: tool, arguments: args }, options);
      writeFileSync(join(cwd, name), content);
      await haftHere(["approvals", "answer", approvalId, "allow"], { cwd });
      const lines = await resumed(cwd, options);
      expect(lines).toMatchObject([{ kind: "blocked", code: "APPROVAL_OUTDATED", resumed: true }]);
      expect(lines[0].content[0].text).toContain(`file ${name}`);
      expect(readFileSync(join(cwd, name), "utf8")).toBe(content);
    },
  );

  test("is denied by a stored answer, which JSON output reports", async () => {
    const cwd = await temporaryFolder();
    const id = await left(cwd);
    const [waiting] = (await haftHere(["approvals", "--json"], { cwd })).lines()[0].requests;
    expect(waiting).toMatchObject({ approvalId: id, attended: false, runId: expect.any(String) });
    expect(waiting).not.toHaveProperty("args");
    const [answered] = (await haftHere(["approvals", "answer", id, "deny", "--json"], { cwd })).lines();
    expect(answered).toMatchObject({ decision: "deny", heard: false, kept: true });
    const denied = await haftHere(again, { cwd });
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining("The request was denied") });
    expect(exists(cwd, "a")).toBe(false);
  });

  test.for([
    ["allow", 0, "is allowed to run", "allowed"],
    ["deny", 1, "would be blocked", "denied"],
  ] as const)(
    "is explained with its stored answer, which remains: %s",
    async ([word, code, title, expected]) => {
      const cwd = await temporaryFolder();
      const id = await left(cwd);
      const explain = ["explain", ...again.slice(2)];
      expect((await haftHere(explain, { cwd })).stdout).toContain("needs approval before it runs");
      await haftHere(["approvals", "answer", id, word], { cwd });
      for (let round = 0; round < 2; round++) {
        const explained = await haftHere(explain, { cwd });
        expect(explained.code).toBe(code);
        expect(explained.stdout).toContain(title);
        expect(explained.stdout).toContain(
          `An earlier request (${id}) for it was ${expected} while no process waited`,
        );
      }
      const other = await haftHere([...explain.slice(0, 2), '{"command":"touch b"}', "--session", "group"], {
        cwd,
      });
      expect(other.stdout).not.toContain(id);
      expect((await haftHere(again, { cwd })).code).toBe(code);
      expect(exists(cwd, "a")).toBe(word === "allow");
      expect((await haftHere(explain, { cwd })).stdout).not.toContain(id);
    },
  );

  test("has an answer that applies to no other call and no other conversation", async () => {
    const cwd = await temporaryFolder();
    const id = await left(cwd);
    await haftHere(["approvals", "answer", id, "allow"], { cwd });
    const others = [
      ["tools", "call", "exec", '{"command":"touch b"}', "--session", "group"],
      ["tools", "call", "exec", '{"command":"touch a","workdir":"/"}', "--session", "group"],
      [...again, "--session-key", "another"],
      [...again, "--agent", "another"],
      [...again, "--group", "another"],
    ];
    for (const other of others) expect(await haftHere(other, { cwd })).toMatchObject({ code: 1 });
    expect((await haftHere(again, { cwd })).code).toBe(0);
  });
});
