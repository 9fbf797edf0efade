import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { converseHere, haftHere } from "../../support/haft.ts";

const CALL = { id: "1", name: "exec", arguments: { command: "touch a" } };

/** A call that waits in a session with these options, and nobody is there. */
async function left(cwd: string, ...options: string[]): Promise<string> {
  const talk = converseHere(["--json", ...options], cwd);
  talk.send(CALL);
  const { approvalId } = await talk.answer();
  await talk.end();
  return approvalId;
}

/** The command that is told of in a text, as arguments. */
function commandIn(text: string): string[] {
  const [, command = ""] = /haft (run --resume [^\n`]+)/.exec(text) ?? [];
  return command.split(" ");
}

test.for([
  [["--session", "group"]],
  [["--session", "group", "--channel", "tg", "--group", "g7", "--sender", "id:5"]],
])("prints a command that resumes the session of the request: %j", async ([options]) => {
  const cwd = await temporaryFolder();
  const id = await left(cwd, ...options!);
  const command = commandIn((await haftHere(["approvals"], { cwd })).stdout);
  expect(command.join(" ")).toMatch(/^run --resume \w{18} --session group/);
  expect(command).toEqual(expect.arrayContaining(options!));
  const again = await haftHere(command, { cwd, input: "" });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(`haft approvals answer ${id}`) });
});

test("prints a command with the other folder and state folder; a wrong command prints the right one", async () => {
  const cwd = await temporaryFolder();
  const elsewhere = join(cwd, "elsewhere");
  const state = getStateFolder(cwd);
  await mkdir(elsewhere);
  const id = await left(cwd, "--session", "group");
  const env = { HAFT_STATE_DIR: state };
  const listed = await haftHere(["approvals", "--state", state], { cwd: elsewhere });
  expect(listed.stdout.split("\n").find((line) => line.includes(`haft approvals answer ${id} `))).toContain(
    ` --state ${state}`,
  );
  const answered = await haftHere(["approvals", "answer", id, "allow", "--state", state], {
    cwd: elsewhere,
    env,
  });
  const command = commandIn(answered.stdout);
  expect(command).toEqual(expect.arrayContaining(["--workspace", cwd, "--state", state]));
  const wrong = await haftHere(command.slice(0, 3), { cwd: elsewhere, env, input: "" });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("[RUN_NOT_FOUND]") });
  expect(commandIn(wrong.stderr)).toEqual(expect.arrayContaining(["--session", "group", "--workspace", cwd]));
  expect(await haftHere(command, { cwd: elsewhere, env, input: "" })).toMatchObject({ code: 0 });
});
