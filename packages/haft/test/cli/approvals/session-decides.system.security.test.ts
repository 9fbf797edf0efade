import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { converse, haft } from "../../support/haft.ts";

// Who may decide is told by processes: an uncontained command of a session is refused however it starts Haft.

const word = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A main session whose `write` waits for a person, and a way to run commands in it. */
async function waitingSession() {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "p.yaml"), "ask: [write]\n");
  const talk = converse(["--policy", "p.yaml", "--json"], cwd);
  talk.send({ id: "w", name: "write", arguments: { path: "made.txt", content: "x" } });
  const { approvalId } = await talk.answer();
  let count = 0;
  const run = async (script: string): Promise<string> => {
    const file = `run-${++count}.sh`;
    await writeFile(join(cwd, file), script);
    talk.send({ id: String(count), name: "exec", arguments: { command: `sh ${file}` } });
    const answer = await talk.answer();
    return String(answer.content?.[0]?.text ?? answer.content);
  };
  return { cwd, talk, approvalId: String(approvalId), run };
}

const lineOf = (...words: string[]) => [...haftCommand, ...words].map(word).join(" ");

test("prevents an uncontained command from answering its own session, even without variables", async () => {
  const { cwd, talk, approvalId, run } = await waitingSession();
  const state = `HAFT_STATE_DIR=${word(getStateFolder(cwd))}`;
  const answer = lineOf("approvals", "answer", approvalId, "allow-once");
  await writeFile(
    join(cwd, "deep.sh"),
    `n=$1; if [ "$n" -gt 0 ]; then sh deep.sh $((n - 1)); exit $?; fi\nexec env -i ${state} ${answer}\n`,
  );
  await mkdir(join(cwd, "bin"));
  await symlink(haftCommand[0]!, join(cwd, "bin/anything"));
  const tries = {
    empty: `HAFT_PROCESS= ${answer}`,
    unset: `unset HAFT_PROCESS; ${answer}`,
    "no variables": `exec env -i ${state} ${answer}`,
    "no open files": `exec 9>&- 8>&- 7>&-; exec env -i ${state} ${answer}`,
    "another name": `exec env -i ${state} bin/anything ${lineOf("approvals", "answer", approvalId, "allow-once").replace(word(haftCommand[0]!), "")}`,
    deep: "sh deep.sh 80",
    session: `env -i ${state} setsid ${answer}`,
    "let go": `rm -f done; (env -i ${state} setsid nohup sh -c ${word(`${answer}; echo ended $? >done`)} >out 2>&1 9>&- &)
      until [ -e done ]; do sleep 0.05; done; cat out done`,
    terminal: `env -i ${state} PATH="$PATH" script -qec ${word(`yes y | head -c 20 | ${lineOf("approvals", "--watch")}`)} /dev/null </dev/null`,
  };
  for (const [name, script] of Object.entries(tries))
    expect([name, await run(`${script}\n`)]).toEqual([name, expect.stringContaining("INSIDE_SESSION")]);
  expect(existsSync(join(cwd, "made.txt"))).toBe(false);

  // A session of its own decides no more than that.
  const nested = await run(
    `printf '%s\\n' ${word(JSON.stringify({ id: "n", name: "write", arguments: { path: "nested.txt", content: "x" } }))} | env -i ${state} ${lineOf("run", "--policy", "p.yaml", "--approvals", "pending")} >first
    id=$(sed -n 's/.*approvals answer \\([a-z0-9]*\\).*/\\1/p' first | head -n 1); cat first; echo "id $id"
    printf '{"control":"approve","approvalId":"%s","decision":"allow-once"}\\n' "$id" | env -i ${state} ${lineOf("run", "--resume", "--policy", "p.yaml")}`,
  );
  expect(nested).toContain("answer requests for approval");
  expect(existsSync(join(cwd, "nested.txt"))).toBe(false);

  // The person answers from outside.
  expect((await haft(["approvals", "answer", approvalId, "allow-once"], { cwd })).code).toBe(0);
  expect(await talk.answer()).toMatchObject({ toolCallId: "w", kind: "ok" });
  expect(await readFile(join(cwd, "made.txt"), "utf8")).toBe("x");
  await talk.end();
});

test("prevents all other decisions of such a command", async () => {
  const { cwd, talk, run } = await waitingSession();
  const state = `HOME=${word(cwd)} HAFT_STATE_DIR=${word(getStateFolder(cwd))}`;
  await writeFile(join(cwd, "own.js"), "export default {};\n");
  await writeFile(join(cwd, "haft.config.yaml"), "policy: { deny: [ls] }\n");
  for (const words of [
    ["approvals", "revoke", "--all"],
    ["config", "trust", "--yes"],
    ["config", "untrust", "--all"],
    ["plugins", "add", "./own.js"],
    ["plugins", "remove", "own"],
    ["mcp", "add", "x", "--", "true"],
    ["nodes", "approve", "x"],
    ["nodes", "accept"],
    ["ledger", "forget", "--session", "none"],
    ["guard", "install", "claude"],
    ["guard", "uninstall"],
    ["guard", "forget", "x"],
    ["config", "init", "--yes"],
    ["inspect", "--act"],
    ["serve", "--inspect", "act"],
  ]) {
    const output = await run(`exec env -i ${state} ${lineOf(...words)}\n`);
    expect([words, output]).toEqual([
      words,
      expect.stringMatching(/Only the user decides[^]*INSIDE_SESSION/),
    ]);
  }
  expect(existsSync(join(cwd, ".config"))).toBe(false);
  expect(existsSync(join(cwd, ".claude"))).toBe(false);
  await talk.end();
});
