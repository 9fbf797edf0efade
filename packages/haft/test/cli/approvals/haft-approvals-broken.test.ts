import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { haft, haftHere, stateFolderOf, temporaryFolder } from "../../support/haft.ts";

const call = ["call", "exec", '{"command":"touch made"}', "--session", "group"];

/** The state folder of a workspace, before Haft has made it. */
async function aBrokenState(damage: (state: string) => Promise<unknown>) {
  const cwd = await temporaryFolder();
  const state = stateFolderOf(cwd);
  await mkdir(state, { mode: 0o700 });
  await damage(state);
  return { cwd, state };
}

describe("where approvals cannot be kept", () => {
  const place = () => aBrokenState((state) => mkdir(join(state, "haft.db")));

  test("a call that changes things and would have to wait is not asked about, and says why", async () => {
    const { cwd } = await place();
    const run = await haft([...call, "--approvals", "wait"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(
      /^Error: The ledger cannot be written: .*haft\.db is not a file[^]*\[Note: What was allowed before/m,
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  test("a call that is refused or left waiting says so, too", async () => {
    const { cwd } = await place();
    const refused = await haftHere(call, { cwd });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("could not be looked up") });
    expect(refused.stderr).toContain("haft: What was allowed before could not be looked up");
    const input = JSON.stringify({ name: "exec", arguments: { command: "touch made" } });
    const left = await haftHere(["run", "--session", "group"], { cwd, input });
    expect(left.lines()[0].content).toContain("[Note: What was allowed before could not be looked up");
    expect(left.lines()[0].content).toContain("The ledger cannot be written");
    expect(await readdir(cwd)).toEqual([]);
  });

  test("haft approvals says what is wrong and what to do", async () => {
    const { cwd } = await place();
    for (const args of [[], ["grants"], ["revoke", "--all"], ["answer", "k3fw9ab2", "allow"]]) {
      expect(await haftHere(["approvals", ...args], { cwd })).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/move it away, or name another folder.*\[STORE_UNUSABLE\]/),
      });
    }
  });
});

test("what is damaged in the folder of earlier versions is named, left as it is, and put aside with it", async () => {
  const { cwd, state } = await aBrokenState(async (folder) => {
    await mkdir(join(folder, "approvals", "grants"), { recursive: true, mode: 0o700 });
    for (let count = 1; count <= 12; count++)
      await writeFile(join(folder, "approvals", "grants", `grant0${count}.json`), '{"id":');
  });
  const summary =
    /^haft: 12 files of approvals were not used, first \S+approvals\.moved\/grants\/grant0\d+\.json: its end is missing\. They decide nothing; look at them, and remove them\.\n$/;
  expect(await haftHere(["approvals"], { cwd })).toMatchObject({
    code: 0,
    stdout: "No call waits for approval.\n",
    stderr: expect.stringMatching(summary),
  });
  // Once: it is nobody's any more.
  expect(await haftHere(["approvals", "grants"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  expect(await readFile(join(state, "approvals.moved", "grants", "grant01.json"), "utf8")).toBe('{"id":');
});

test("a folder of earlier versions that cannot be read is told of, and nothing in it lets a call through", async () => {
  const { cwd } = await aBrokenState((folder) => writeFile(join(folder, "approvals"), "no folder"));
  expect(await haftHere(["approvals"], { cwd })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/approvals.*is not a folder that this user has to themselves/),
  });
});
