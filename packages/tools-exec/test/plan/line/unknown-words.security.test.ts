import { contentToText } from "@haft/core";
import { existsSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { ARGS, listedSite } from "../../support/listed-site.ts";

describe("words that are unknown before the start", () => {
  // None of them runs, so each finds the place as it was.
  const listed = ["grep a *", "sh -n *", "git", "find", "rm -i *", "ls", "xargs"];
  const shared = listedSite(listed, {}, undefined, afterAll);
  test.each([
    'grep "$(args a)" x',
    "args a | xargs grep b",
    "args sh | xargs sh",
    "args status | xargs git",
    "xargs -a in rm",
    "xargs -I{} {} x",
    "xargs env sh",
    "find . -exec sh {} +",
    "find . -exec git {} +",
    "find . -exec {} +",
    "find . -execdir touch {} +",
    "find . -exec touch {} + -delete -exec rm {} +",
    "find . -ok touch {} ;",
    "cd $(args sub)",
    "args $(args a)",
    "printf $(args %n)",
    "test $(args -f x)",
    "nice $(args -n 5) ls",
    "X=$(args 1) ls",
  ])("require approval: %s", async (command) => {
    expect(await (await shared).run(command)).toMatchObject({ kind: "blocked", receipt: "none" });
  });

  test("do not avoid a deny rule", async () => {
    const { at, run } = await listedSite(["rm", "find", "touch"], { deny: ["exec(rm -rf *)"] });
    writeFileSync(at("keep"), "");
    for (const command of ["args keep | xargs rm", "rm $(args keep)", "find . -name keep -exec rm {} +"])
      expect(await run(command)).toMatchObject({ kind: "blocked" });
    expect(existsSync(at("keep"))).toBe(true);
    expect(await run("args new | xargs touch")).toMatchObject({ kind: "ok" });
  });

  test("run in programs that are listed for any arguments, and only there", async () => {
    const { at, run, output } = await listedSite(["cat", "find", "grep"]);
    writeFileSync(at("in"), "text\n");
    writeFileSync(at("name with space"), "more\n");
    expect(await output('cat "$(args in | tr -d "<>")"')).toBe("text\n".trim());
    expect(await output("find . -name 'name*' -print0 | xargs -0 cat")).toBe("more");
    expect(await output("find . -name 'name*' -exec grep -c o {} \\;")).toBe("1");
    writeFileSync(at("bin/cat"), ARGS, { mode: 0o755 });
    expect(await run('cat "$(args in)"')).toMatchObject({ kind: "blocked" });
  });
});

describe("locations and names of programs", () => {
  test("a long name equals the short name if it is the same program and read-only", async () => {
    const { at, run, output } = await listedSite(["ls"]);
    symlinkSync("/bin/ls", at("ls"));
    symlinkSync("/bin/cat", at("aside/ls"));
    expect(await output("/bin/ls sub")).toBe("tool");
    for (const name of ["./ls", at("ls"), at("aside/ls"), "/bin/cat"])
      expect(await run(`${name} sub`)).toMatchObject({ kind: "blocked" });
  });

  test("a deny rule covers every name of a program", async () => {
    for (const deny of ["exec(/bin/ls)", "exec(/usr/bin/ls)", "exec(ls)", "exec(*/ls *)"]) {
      const { run } = await listedSite(["ls"], { deny: [deny] });
      expect({ deny, outcome: await run("/bin/ls sub") }).toMatchObject({
        deny,
        outcome: { kind: "blocked" },
      });
    }
  });

  test("a command after cd runs in that folder or not at all", async () => {
    const { at, run, output } = await listedSite(["other"], {}, () => {
      renameSync(at("sub"), at("moved"));
      return "allow-once";
    });
    expect(await output("cd aside; args *")).toBe("<tool>");
    expect(await output("(cd sub; args *)")).toBe("<tool>");
    const outcome = await run("cd sub; tool");
    expect(contentToText(outcome.content)).not.toContain("good");
  });
});
