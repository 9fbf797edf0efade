import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

/** A folder with a conversation of five calls, and the command in it. */
async function recorded(record = "plan") {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/a.txt"), "one\ntwo\n");
  writeFileSync(join(cwd, "../", `${cwd.split("/").at(-1)}.yaml`), `record: ${record}\n`);
  const env = { HAFT_CONFIG: `${cwd}.yaml` };
  const run = (calls: readonly unknown[]) =>
    haftHere(["run", "--json"], {
      cwd,
      env,
      input: calls.map((call) => `${JSON.stringify(call)}\n`).join(""),
    });
  await run([
    { name: "read", arguments: { path: "src/a.txt" } },
    { name: "edit", arguments: { path: "src/a.txt", oldText: "two", newText: "three" } },
    {
      name: "exec",
      arguments: {
        command:
          "cat src/a.txt; printf '\\033[2Jx\\342\\200\\256y'; echo API_KEY=sk-abcdefghijklmnopqrstuvwxyz0123456789",
      },
    },
    { name: "read", arguments: { path: "nowhere.txt" } },
    { name: "write", arguments: { path: "new.txt", content: "new\n" } },
  ]);
  return { cwd, run, haft: (...args: string[]) => haftHere(["ledger", ...args], { cwd, env }) };
}

describe("haft ledger without records", () => {
  it("says so, and creates no file", async () => {
    const cwd = await temporaryFolder();
    for (const [action, code] of [
      ["list", 0],
      ["check", 0],
      ["show", 1],
      ["export", 1],
      ["replay", 4],
    ] as const) {
      const { stdout, stderr, ...rest } = await haftHere(
        ["ledger", action, ...(code === 0 ? [] : ["last"])],
        { cwd },
      );
      expect([action, rest.code]).toEqual([action, code]);
      expect(stdout + stderr).toContain("Nothing is recorded in");
    }
    expect(existsSync(join(getStateFolder(cwd), "haft.db"))).toBe(false);
  });
});

describe("haft ledger", () => {
  it("lists calls and applies filters", async () => {
    const { cwd, haft, run } = await recorded();
    const { stdout } = await haft();
    expect(stdout).toMatch(/main session cli:main:\w+, agent main, in .+; opened .+, closed/);
    expect(stdout).toMatch(/call_2 +edit src\/a\.txt .+ ok +committed/);
    expect(stdout).toMatch(/call_4 +read nowhere\.txt +ERROR FILE_NOT_FOUND/);
    const idsOf = async (...args: string[]) =>
      (await haft("list", "--json", ...args))
        .lines()[0]
        .calls.map(({ toolCallId }: { toolCallId: string }) => toolCallId);
    expect(await idsOf("--tool", "read")).toEqual(["call_4", "call_1"]);
    expect(await idsOf("--status", "failed")).toEqual(["call_4"]);
    expect(await idsOf("--since", "1h", "--outcome", "error")).toEqual(["call_4"]);
    expect(await idsOf("--until", "1h")).toEqual([]);
    const first = (await haft("list", "--json", "--limit", "3")).lines()[0];
    expect(await idsOf("--limit", "3", "--after", first.next)).toEqual(["call_2", "call_1"]);
    expect((await haft("list", "--tool", "grep")).stdout).toContain("No call matches");
    expect((await haft("list", "--path", "new.txt")).stdout).toMatch(/No call matches.*\n.*plans.*haft undo/);
    expect(await haft("list", "--after", "nonsense")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--after takes the word at the end of the previous page; got "nonsense"',
      ),
    });
    await run([{ name: "ls", arguments: {} }]);
    expect(await idsOf("--run", "last")).toEqual(["call_1"]);
    const elsewhere = await haftHere(["ledger", "--session", "group"], { cwd });
    expect(elsewhere.stdout).toMatch(/Nothing is recorded of cli:group.+There are records of cli:main/);
  });

  it("shows all stored facts about a call, with masked secrets", async () => {
    const { haft } = await recorded("full");
    const { stdout } = await haft("show", "last", "call_3");
    expect(stdout).toContain("by the rule  exec in main sessions: allow");
    expect(stdout).toContain("receipt      committed");
    expect(stdout).toContain("API_KEY=[secret]");
    for (const hidden of ["\u001b", "\u202e"]) expect(stdout).not.toContain(hidden);
    const [{ run, calls }] = (await haft("show", "last", "--json")).lines();
    expect(run.mode).toBe("full");
    expect(calls).toHaveLength(5);
    expect((await haft("show", run.runId.slice(0, 12))).stdout).toContain("call_5");
  });

  it("suggests similar names", async () => {
    const { haft } = await recorded();
    const [{ run }] = (await haft("show", "last", "--json")).lines();
    const wrong = `${run.runId.slice(0, -1)}_`;
    for (const [args, words] of [
      [["show", wrong], `Did you mean ${run.runId}`],
      [["show", "last", "call_22"], "Did you mean call_2"],
      [["export", "cli:nobody"], "There is no run or conversation"],
    ] as const) {
      const { code, stderr } = await haft(...args);
      expect(code).toBe(1);
      expect(stderr).toContain(words);
    }
  });

  it("exports records with masked secrets", async () => {
    const { cwd, haft } = await recorded("full");
    expect((await haft("export", "last", "-o", "report.json")).code).toBe(0);
    const written = readFileSync(join(cwd, "report.json"), "utf8");
    expect(written).toContain("three");
    const jsonl = (await haft("export", "last", "--format", "jsonl")).lines();
    expect(jsonl.map((line) => Object.keys(line))).toEqual([
      ["run"],
      ...Array.from({ length: 5 }, () => ["runId", "call"]),
    ]);
    const [{ runs }] = (await haft("export", jsonl[0].run.sessionKey, "--format", "json")).lines();
    expect(runs).toHaveLength(1);
    for (const text of [written, JSON.stringify(jsonl), JSON.stringify(runs)])
      expect(text).not.toContain("sk-abcdef");
    const unknown = await haft("export", "last", "-o", "report.pdf");
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("--format")]);
    const unwritable = await haft("export", "last", "-o", "nowhere/report.json");
    expect([unwritable.code, unwritable.stderr]).toEqual([
      2,
      expect.stringContaining("cannot write nowhere/report.json"),
    ]);
  });

  it("deletes the selected records, and prints their number", async () => {
    const { haft, run } = await recorded("full");
    await run([{ name: "ls", arguments: {} }]);
    expect((await haft("forget", "--before", "1h", "--yes")).stdout).toContain("Forgot 0 calls");
    expect((await haft("forget", "--session", "nobody", "--yes")).stdout).toContain(
      "Nothing is recorded of nobody",
    );
    expect((await haft("forget", "--run", "last", "--yes")).stdout).toContain("Forgot 1 call of the run");
    expect((await haft("forget", "--session", "main", "--yes", "--json")).lines()).toEqual([
      { forgotten: 5, conversations: 0 },
    ]);
    expect((await haft("list")).stdout).toContain("Nothing is recorded");
  });

  it("refuses to delete records for a command of an agent", async () => {
    const { cwd } = await recorded();
    const env = { HAFT_PROCESS: "x" };
    const { code, stderr } = await haftHere(["ledger", "forget", "--run", "last", "--yes"], { cwd, env });
    expect([code, stderr]).toEqual([1, expect.stringContaining("INSIDE_SESSION")]);
  });

  it("reports problems of its file", async () => {
    const { cwd, haft } = await recorded();
    expect(await haft("check")).toMatchObject({ code: 0, stdout: expect.stringContaining("intact") });
    writeFileSync(
      join(getStateFolder(cwd), "haft.db"),
      "this is no database, and was one before".repeat(200),
    );
    const { code, stdout } = await haft("check");
    expect(code).toBe(1);
    expect(stdout).toContain("STORE_CORRUPT");
    expect((await haft("check", "--json")).lines()[0]).toMatchObject({
      whole: false,
      problems: [{ code: "STORE_CORRUPT" }],
    });
    expect((await haft("list")).stderr).toContain("STORE_CORRUPT");
    const repaired = await haft("check", "--repair");
    expect([repaired.code, repaired.stdout]).toEqual([
      0,
      expect.stringMatching(/The damaged file is .+haft\.db\.damaged-/),
    ]);
    expect((await haft("check")).stdout).toContain("Nothing is recorded");
  });
});
