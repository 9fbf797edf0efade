import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeCommand, rebuildCommand } from "../src/index.ts";

const SHELLS = ["bash", "dash"];
const locate = (program: string) =>
  execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();

/** Without facts about files and variables, as for a view. */
const LINES = [
  "echo $((6*7)) $((1 + (2 * 3)))",
  'echo "$((7 % 4))"',
  "ls missing; echo $?",
  'true; echo "$? $#"',
  "echo $HOME",
  'echo "$HOME"/x "a b"',
  "echo ${UNSET:-other} ${UNSET-plain} ${#HOME} ${HOME##*/} ${HOME%/*}",
  "echo *.txt",
  "echo '*'.txt \\*.txt a*",
  "echo [a-b]*.txt ?.txt",
  "cat *.txt | sort | head -n 2",
  'for f in *.txt; do wc -c "$f"; done',
  'for f in a.txt *.md; do echo "$f" $f; done; echo done',
  "for f in *.none; do echo $f; done",
  "set -e; echo on; ls missing; echo never",
  "set -eu; echo ${UNSET}; echo never",
  "type ls > out; wc -l < out",
  "date +%Y > out; cat < out",
  "echo one > out; echo two >> out; cat out",
  "echo hi >out 2>&1; wc -l < out",
  "umask 077; umask",
  "wait; jobs",
];

describe("a line with words that are known only to the shell", () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-words-")));
    for (const name of ["a.txt", "b.txt", "c d.txt", "x.md", "y.md"])
      writeFileSync(join(folder, name), `${name}\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(LINES.flatMap((line) => SHELLS.map((shell) => ({ line, shell }))))(
    "is clear, and has the same output rebuilt: $line in $shell",
    async ({ line, shell }) => {
      const template = await analyzeCommand(line, { cwd: folder, shell });
      expect(template.unclear).toBeUndefined();
      const rebuilt = rebuildCommand(template, locate);
      const run = (script: string) => {
        const { stdout, status } = spawnSync(shell, ["-c", script], { cwd: folder, encoding: "utf8" });
        return { stdout, status };
      };
      const script = "script" in rebuilt ? rebuilt.script : rebuilt.argv.map((word) => `'${word}'`).join(" ");
      expect(run(script)).toEqual(run(line));
    },
  );

  test.each([
    ["git $X", "git gets ${X}"],
    ["find $X", "find gets ${X}"],
    ["npm *", "npm gets *"],
    ["$X", "something else than a text"],
    ["nice $X ls", "the name of a program"],
    ["ls > $X", "cannot be read for certain"],
    ["ls > *.txt", "cannot be read for certain"],
    ["X=$Y ls", "uses a variable ($)"],
    ["printf $X", "printf gets ${X}"],
    ["test $X = 1", "test gets ${X}"],
    ["cd $X", "cd gets ${X}"],
    ["for f in *; do X=1; echo $X; done", "sets a variable"],
    ["for f in *; do for g in *; do echo; done; done", "sets a variable"],
    ["for f in *; do echo; done; echo $f", "variable ($)"],
    ["echo $((X))", "calculates"],
    ["echo ${X:?gone}", "variable ($)"],
    ["echo ${X/a/b}", "variable ($)"],
  ])("stays unclear where a word can decide more: %s", async (line, reason) => {
    expect((await analyzeCommand(line, { cwd: "/work", shell: "bash" })).unclear).toContain(reason);
  });

  test("is not harmless, and matches no pattern with arguments", async () => {
    const { commands } = await analyzeCommand("cat $X *.txt", { cwd: "/work", shell: "bash" });
    expect(commands).toMatchObject([{ name: "cat", open: true }]);
    expect(commands[0]!.harmless).toBeUndefined();
  });
});
