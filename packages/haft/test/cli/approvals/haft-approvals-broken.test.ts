import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

const call = ["tools", "call", "exec", '{"command":"touch made"}', "--session", "group"];

/** The state folder of a workspace, before Haft has made it. */
async function aBrokenState(damage: (state: string) => Promise<unknown>) {
  const cwd = await temporaryFolder();
  const state = getStateFolder(cwd);
  await mkdir(state, { mode: 0o700 });
  await damage(state);
  return { cwd };
}

describe("a store without approvals", () => {
  const brokenState = () => aBrokenState((state) => mkdir(join(state, "haft.db")));

  test("blocks a changing call that needs approval, with a reason", async () => {
    const { cwd } = await brokenState();
    const run = await haftHere([...call, "--approvals", "wait"], { cwd });
    expect(run.code).toBe(1);
    expect(run.stdout).toBe("");
    expect(run.stderr).toMatch(
      /^Error: The ledger cannot be written: .*haft\.db is not a file[^]*\[Note: Earlier grants/m,
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  test("is reported for denied and pending calls", async () => {
    const { cwd } = await brokenState();
    const refused = await haftHere(call, { cwd });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("could not be read") });
    expect(refused.stderr).toContain("haft: Earlier grants could not be read");
    const input = JSON.stringify({ name: "exec", arguments: { command: "touch made" } });
    const left = await haftHere(["run", "--session", "group"], { cwd, input });
    expect(left.lines()[0].content).toContain("[Note: Earlier grants could not be read");
    expect(left.lines()[0].content).toContain("The ledger cannot be written");
    expect(await readdir(cwd)).toEqual([]);
  });

  test("is explained by haft approvals, with a fix", async () => {
    const { cwd } = await brokenState();
    for (const args of [[], ["grants"], ["revoke", "--all"], ["answer", "k3fw9ab2", "allow"]]) {
      expect(await haftHere(["approvals", ...args], { cwd })).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/move it away, or use another folder.*\[STORE_UNUSABLE\]/),
      });
    }
  });
});
