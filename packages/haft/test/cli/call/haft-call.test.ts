import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere, terminalHere } from "../../support/haft.ts";

const exec = (command: string, more: object = {}) => [
  "tools",
  "call",
  "exec",
  JSON.stringify({ command, ...more }),
];

/** Runs until a file is there, so that a test decides when it goes on. */
const waitFor = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;

describe("on a terminal", () => {
  test("prints lines while the command runs, with the elapsed time, and each line once", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(exec(`echo begun; ${waitFor("go")}; echo last; exit 3`), cwd);
    const first = await terminal.until(/exec · \d+ s · begun/);
    expect(first).toMatch(/begun\r?\n/);
    await haftHere(["tools", "call", "write", '{"path":"go","content":""}'], { cwd });
    const { exitCode, output } = await terminal.end();
    expect(exitCode).toBe(0);
    const lines = visible(first + output);
    expect(lines.filter((line) => line === "begun" || line === "last")).toEqual(["begun", "last"]);
    expect(lines.at(-1)).toMatch(/exited with code 3/);
    expect(lines.join("\n")).not.toContain(" · ");
  });

  test("keeps a last line without a line feed", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(exec(`echo begun; ${waitFor("go")}; printf last`), cwd);
    const first = await terminal.until(/exec · \d+ s · begun/);
    await haftHere(["tools", "call", "write", '{"path":"go","content":""}'], { cwd });
    const { output } = await terminal.end();
    expect(visible(first + output)).toEqual(["begun", "last"]);
  });

  test("prints the undo command of a file tool", async () => {
    const cwd = await temporaryFolder();
    const terminal = terminalHere(["tools", "call", "write", '{"path":"a.txt","content":"a"}'], cwd);
    const { output } = await terminal.end();
    const [, id = ""] = /haft undo (\S+)/.exec(output) ?? [];
    expect((await haftHere(["undo", id], { cwd })).code).toBe(0);
  });
});

describe("without a terminal", () => {
  test("prints the result once on standard output, and nothing on standard error", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(exec("echo one; sleep 1.5; echo two; exit 3"), { cwd });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toBe("one\ntwo\n\n(Command exited with code 3)\n");
  });

  test("reports that omitted output is deleted", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(exec("seq 1 20000"), { cwd });
    expect(run.stdout).toMatch(/^1\n2\n[^]*left out[^]*\n20000\n/);
    expect(run.stderr).toMatch(/the omitted output is deleted with this session/);
    const streamed = await haftHere([...exec("seq 1 20000"), "--follow"], { cwd });
    expect(streamed.stderr).toBe("");
    const added = streamed.lines().map(({ details }) => String(details.added ?? ""));
    expect(added.join("")).toBe(`${Array.from({ length: 20_000 }, (_, index) => index + 1).join("\n")}\n`);
  });

  test("does not wait if the call says so, and reports the end of the command", async () => {
    const cwd = await temporaryFolder();
    const run = await haftHere(exec("sleep 60", { background: true }), { cwd });
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining("still running") });
    expect(run.stderr).toContain("the command ends with this session");
  });
});

/** What is left on the screen: a line that was taken away is not. */
function visible(output: string): string[] {
  // oxlint-disable-next-line no-control-regex -- of a terminal
  const plain = output.replaceAll(/[^\n]*\r\u001b\[K/g, "").replaceAll(/\u001b\[[0-?]*[a-zA-Z]/g, "");
  return plain
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
