import { mkdirSync, writeFileSync } from "node:fs";
import { rm, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere } from "../../support/haft.ts";

const write = (content: string) => ({
  id: "w",
  name: "write",
  arguments: { path: `b${content}.txt`, content },
});

/** A folder with two runs of its conversation, in which the same call was made. */
async function twoRuns() {
  const cwd = await temporaryFolder();
  const runs: string[] = [];
  for (let run = 0; run < 2; run++) {
    await haftHere(["run", "--json"], { cwd, input: JSON.stringify(write(`${run}`)) });
    const [{ calls }] = (await haftHere(["ledger", "--json"], { cwd })).lines();
    runs.push(calls[0].runId);
  }
  const [older = "", newer = ""] = runs;
  let same = 0;
  while (older[same] === newer[same]) same++;
  return { cwd, older, newer, both: older.slice(0, same), onlyOlder: older.slice(0, same + 1) };
}

async function command(args: readonly string[], cwd: string) {
  return haftHere(args, { cwd, ...(args[0] === "run" && { input: "" }) });
}

/** Every command that takes a run, with the word that names it. */
const COMMANDS: readonly (readonly [string, (name: string) => readonly string[]])[] = [
  ["ledger list", (name) => ["ledger", "list", "--json", "--run", name]],
  ["ledger show", (name) => ["ledger", "show", "--json", name]],
  ["ledger export", (name) => ["ledger", "export", "--format", "json", name]],
  ["ledger replay", (name) => ["ledger", "replay", "--json", "--policy", "rules.yaml", name]],
  ["undo", (name) => ["undo", name, "--to", "w", "-n", "--json"]],
  ["run --resume", (name) => ["run", "--resume", name]],
  ["ledger forget", (name) => ["ledger", "forget", "--yes", "--run", name]],
];

test("rejects an ambiguous prefix in every command, and lists the runs", async () => {
  const { cwd, older, newer, both } = await twoRuns();
  writeFileSync(join(cwd, "rules.yaml"), "deny: [exec]\n");
  for (const [name, args] of COMMANDS) {
    const { code, stderr } = await command(args(both), cwd);
    expect({ name, code, stderr }).toMatchObject({ name, code: name === "ledger replay" ? 4 : 1 });
    expect([name, stderr]).toEqual([name, expect.stringContaining("[RUN_NOT_FOUND]")]);
    expect(stderr).toContain(`${newer} (cli:main:`);
    expect(stderr).toContain(older);
  }
  const [{ calls }] = (await haftHere(["ledger", "--json"], { cwd })).lines();
  expect(calls).toHaveLength(2);
});

test("accepts a unique prefix in either case, like the whole id", async () => {
  const { cwd, older, onlyOlder } = await twoRuns();
  writeFileSync(join(cwd, "rules.yaml"), "deny: [exec]\n");
  for (const [name, args] of COMMANDS) {
    for (const word of [onlyOlder, older.toUpperCase()]) {
      if (name === "ledger forget" && word !== onlyOlder) continue;
      const { code, stdout, stderr } = await command(args(word), cwd);
      expect({ name, code, stderr }).toMatchObject({ name, code: 0 });
      if (name.startsWith("ledger") && !name.endsWith("replay"))
        expect([name, stdout]).toEqual([name, expect.stringContaining(older)]);
      if (name === "run --resume") expect(stderr).toContain(`Continuing run ${older}`);
    }
  }
});

test.for([
  ["of too few characters", ["ledger", "show", "0mw"], /The start of an id needs at least 4 characters/],
  ["that no run has", ["ledger", "show", "0zzzzz"], /No id is equal to it or starts with it/],
  ["that no run has, to resume", ["run", "--resume", "0zzzzz"], /RUN_NOT_FOUND/],
  ["that no run has, to undo", ["undo", "0zzzzz", "--to", "w"], /RUN_NOT_FOUND/],
] as const)("rejects a prefix %s", async ([, args, why]) => {
  const { cwd } = await twoRuns();
  const { code, stderr } = await command(args, cwd);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(why) });
});

test("resolves `last` to the newest run of this folder's conversation in all actions", async () => {
  const { cwd, older } = await twoRuns();
  const elsewhere = join(cwd, "elsewhere");
  mkdirSync(elsewhere);
  const env = { HAFT_STATE_DIR: getStateFolder(cwd) };
  const other = await haftHere(["ledger", "forget", "--run", "last", "--yes"], { cwd: elsewhere, env });
  expect(other).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The conversation cli:main:\w+ has no recorded run\./),
  });
  expect((await haftHere(["ledger", "list", "--run", "last"], { cwd: elsewhere, env })).code).toBe(1);
  await haftHere(["ledger", "forget", "--run", "last", "--yes"], { cwd });
  const [{ run }] = (await haftHere(["ledger", "show", "last", "--json"], { cwd })).lines();
  expect(run.runId).toBe(older);
  expect((await haftHere(["run", "--resume", "last"], { cwd, input: "" })).stderr).toContain(older);
});

test("finds a run by a prefix for undo if the ledger is deleted", async () => {
  const { cwd, both, onlyOlder } = await twoRuns();
  const state = getStateFolder(cwd);
  for (const name of await readdir(state)) if (name.startsWith("haft.db")) await rm(join(state, name));
  const undo = async (name: string) => haftHere(["undo", name, "--to", "w", "-n"], { cwd });
  expect(await undo(both)).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_NOT_FOUND") });
  expect(await undo(onlyOlder)).toMatchObject({ stdout: expect.stringContaining("b0.txt") });
});

test("distinguishes `last` from a conversation with the name `last`, which its key selects", async () => {
  const { cwd, newer } = await twoRuns();
  const key = ["--session-key", "last"];
  await haftHere(["run", "--json", ...key], { cwd, input: JSON.stringify(write("else")) });
  const exported = await haftHere(["ledger", "export", "--format", "json", "last"], { cwd });
  expect(exported.stdout).toContain(newer);
  const { stdout } = await haftHere(["undo", "last", "--to", "w", "-n"], { cwd });
  expect(stdout).toMatch(/b1\.txt/);
  expect(stdout).not.toContain("belse.txt");
  const byKey = await haftHere(["ledger", "show", "last", "--session", "last"], { cwd });
  expect(byKey.stdout).toContain("belse.txt");
  await haftHere(["run", "--json", "--session-key", "their room"], {
    cwd,
    input: JSON.stringify(write("2")),
  });
  const { stderr } = await haftHere(["ledger", "show", "their room"], { cwd });
  expect(stderr).toMatch(/is the key of a conversation.*\n.*haft ledger show last --session 'their room'/);
});
