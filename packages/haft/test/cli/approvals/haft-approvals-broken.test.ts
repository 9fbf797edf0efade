import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { haft, haftHere, stateFolderOf, temporaryFolder } from "../../support/haft.ts";

const call = ["call", "exec", '{"command":"touch made"}', "--session", "group"];

/** The folder of approvals of a workspace, before Haft has made it. */
async function aBrokenFolder(damage: (approvals: string) => Promise<unknown>) {
  const cwd = await temporaryFolder();
  const approvals = join(stateFolderOf(cwd), "approvals");
  await mkdir(stateFolderOf(cwd));
  await damage(approvals);
  return { cwd, approvals };
}

describe("where approvals cannot be kept", () => {
  const place = () => aBrokenFolder((approvals) => writeFile(approvals, "no folder"));

  test("a call that would wait for an answer from elsewhere ends at once, and says why", async () => {
    const { cwd } = await place();
    const run = await haft([...call, "--approvals", "wait"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(
      /^Cancelled: nobody could be asked about it\.\n\n\[Note: What was allowed before/m,
    );
    expect(run.stderr).toMatch(
      /haft: Nobody elsewhere can decide about this call.*approvals is not a folder/,
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
    expect(left.stderr).toContain("haft: Nobody elsewhere can decide");
    expect(await readdir(cwd)).toEqual([]);
  });

  test("haft approvals says what is wrong and what to do", async () => {
    const { cwd } = await place();
    for (const args of [[], ["grants"], ["revoke", "--all"], ["answer", "k3fw9ab2", "allow"]]) {
      expect(await haftHere(["approvals", ...args], { cwd })).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/Move it away, or name another folder.*\[STATE_FOLDER_UNSAFE\]/),
      });
    }
  });
});

describe("damaged files", () => {
  const place = () =>
    aBrokenFolder(async (approvals) => {
      await mkdir(join(approvals, "grants"), { recursive: true, mode: 0o700 });
      await mkdir(join(approvals, "answers"), { mode: 0o700 });
      for (let count = 1; count <= 12; count++) {
        await writeFile(join(approvals, "grants", `grant0${count}.json`), '{"id":');
      }
      for (const [name, age] of [
        ["gone", 3_600_000],
        ["fresh", 0],
      ] as const) {
        const file = join(approvals, "answers", `${name}.json`);
        await writeFile(file, '{"decision":"allow-once"}', { mode: 0o600 });
        await utimes(file, new Date(), new Date(Date.now() - age));
      }
    });
  const summary =
    /^haft: 12 files of approvals were not used, first \S+grant0\d+\.json: its end is missing\. They decide nothing; look at them, and remove them\.\n$/;

  test("are summed up: how many, which, why, and what to do", async () => {
    const { cwd } = await place();
    for (const args of [[], ["grants"], ["--json"]]) {
      const run = await haftHere(["approvals", ...args], { cwd });
      expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(summary) });
    }
    const refused = await haftHere(call, { cwd });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[Note: 12 files of approvals"),
    });
    expect(refused.stderr).toContain("haft: 12 files of approvals");
    expect(await readdir(cwd)).toEqual([]);
  });

  test("answers nobody takes any more are swept, and new ones stay", async () => {
    const { cwd, approvals } = await place();
    await haftHere(["approvals"], { cwd });
    expect(await readdir(join(approvals, "answers"))).toEqual(["fresh.json"]);
  });
});
