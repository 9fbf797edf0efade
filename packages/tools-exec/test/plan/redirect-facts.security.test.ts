import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planCommand } from "../../src/plan/plan-command.ts";
import { bench } from "../support/bench.ts";

function testSite() {
  const { root, workspace } = bench({}, () => ({ environment: { from: { PATH: "/usr/bin:/bin" } } }));
  const at = (name: string): string => join(root, name);
  mkdirSync(at("other"));
  writeFileSync(at("other/t"), "keep\n");
  writeFileSync(at("s.sh"), "echo good\n");
  writeFileSync(at("old.txt"), "old\n");
  const plan = (text: string) => planCommand(workspace, { text, shell: "bash" });
  const facts = async (text: string) => (await plan(text)).facts;
  return { at, plan, facts };
}

type At = ReturnType<typeof testSite>["at"];

const link = (at: At, name: string): void => {
  rmSync(at(name), { force: true });
  symlinkSync(at("other/t"), at(name));
};

describe("the facts of a command with redirects", () => {
  const OTHERS: [string, string, (at: At) => void][] = [
    ["a new file becomes a link", "echo x > a.txt", (at) => link(at, "a.txt")],
    ["an old file becomes a link", "echo x > old.txt", (at) => link(at, "old.txt")],
    ["an appended file becomes a link", "echo x >> old.txt", (at) => link(at, "old.txt")],
    ["a new appended file becomes a link", "echo x >> a.txt", (at) => link(at, "a.txt")],
    ["a dangling link appears", "echo x > a.txt", (at) => symlinkSync(at("other/new"), at("a.txt"))],
    ["a new file exists", "echo x > a.txt", (at) => writeFileSync(at("a.txt"), "new\n")],
    ["an old file is removed", "echo x > old.txt", (at) => rmSync(at("old.txt"))],
    ["a script on standard input", "bash < s.sh", (at) => writeFileSync(at("s.sh"), "echo evil\n")],
    ["input of a filter", "cat < s.sh", (at) => writeFileSync(at("s.sh"), "echo evil\n")],
    ["a sourced script", ". ./s.sh", (at) => writeFileSync(at("s.sh"), "echo evil\n")],
    ["a sourced script, by its other name", "source ./s.sh", (at) => link(at, "s.sh")],
    ["both streams", "ls &> a.txt", (at) => link(at, "a.txt")],
    ["errors alone", "ls 2> a.txt", (at) => link(at, "a.txt")],
    ["a line that is not clear", 'echo "$(date)" > a.txt', (at) => link(at, "a.txt")],
    ["behind another program", "python3 -V; echo x > a.txt", (at) => link(at, "a.txt")],
    ["a file in a linked folder", "echo x > sub/a.txt", (at) => symlinkSync(at("other"), at("sub"))],
  ];

  test.for(OTHERS)("change if %s: %s", async ([, text, change]) => {
    const { at, plan, facts } = testSite();
    const before = await plan(text);
    expect(await facts(text)).toEqual(before.facts);
    change(at);
    const after = await plan(text);
    expect(after.facts).not.toEqual(before.facts);
  });

  test("do not depend on the location of the workspace", async () => {
    for (const text of ["echo x > a.txt", "bash < s.sh", "echo x >> old.txt"])
      expect(await testSite().facts(text)).toEqual(await testSite().facts(text));
  });

  test.for([
    ["an overwritten file has other content", "echo x > old.txt"],
    ["a log grew", "echo x >> old.txt"],
  ])("do not change if %s", async ([, text = ""]) => {
    const { at, facts } = testSite();
    const before = await facts(text);
    writeFileSync(at("old.txt"), "old\nmore\n");
    expect(await facts(text)).toEqual(before);
  });

  test("do not change if a log was created", async () => {
    const { at, facts } = testSite();
    const before = await facts("echo x >> new.log");
    writeFileSync(at("new.log"), "first\n");
    expect(await facts("echo x >> new.log")).toEqual(before);
  });
});
