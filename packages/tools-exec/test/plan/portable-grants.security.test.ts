import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planCommand } from "../../src/plan/plan-command.ts";
import { bench } from "../support/bench.ts";

/** A workspace with a folder and a script, as one host has it. */
function testSite(variables: Record<string, string> = {}) {
  const environment = { from: { PATH: "/usr/bin:/bin", HOME: "/nowhere", ...variables } };
  const { root, workspace } = bench({}, () => ({ environment }));
  const at = (name: string): string => join(root, name);
  mkdirSync(at("sub"));
  writeFileSync(at("run.sh"), "#!/bin/sh\necho good\n", { mode: 0o755 });
  const facts = async (text: string, workdir?: string) => {
    const given = { text, shell: "sh" as const, ...(workdir !== undefined && { workdir }) };
    return (await planCommand(workspace, given)).facts;
  };
  return { at, facts };
}

describe("the facts of a command", () => {
  const commands = ["cat run.sh", "./run.sh", "sh run.sh && ls"];

  test.for(commands)("%s: are equal in another folder, and with another temporary folder", async (text) => {
    const here = await testSite({ TMPDIR: "/tmp" }).facts(text);
    expect(await testSite({ TMPDIR: "/var/tmp" }).facts(text)).toEqual(here);
  });

  test("differ if the line uses the temporary folder", async () => {
    const here = await testSite({ TMPDIR: "/tmp" }).facts("ls $TMPDIR");
    expect(await testSite({ TMPDIR: "/var/tmp" }).facts("ls $TMPDIR")).not.toEqual(here);
  });

  test.for([{ PATH: "/bin:/usr/bin" }, { HOME: "/elsewhere" }, { USER: "eve" }])(
    "differ with %j",
    async (variables) => {
      const here = await testSite().facts("cat run.sh");
      expect(await testSite(variables).facts("cat run.sh")).not.toEqual(here);
    },
  );

  test("differ in another folder of the workspace, and behind another link", async () => {
    const { at, facts } = testSite();
    const here = await facts("ls");
    expect(await facts("ls", "sub")).not.toEqual(here);
    symlinkSync(at("sub"), at("link"));
    const linked = await facts("ls", "link");
    expect(linked).toEqual(await facts("ls", "sub"));
    rmSync(at("link"));
    mkdirSync(at("other"));
    symlinkSync(at("other"), at("link"));
    expect(await facts("ls", "link")).not.toEqual(linked);
  });

  test("differ after a change of a script, and are equal again after its revert", async () => {
    const { at, facts } = testSite();
    const good = await facts("./run.sh");
    writeFileSync(at("run.sh"), "#!/bin/sh\necho evil\n", { mode: 0o755 });
    expect(await facts("./run.sh")).not.toEqual(good);
    writeFileSync(at("run.sh"), "#!/bin/sh\necho good\n", { mode: 0o755 });
    expect(await facts("./run.sh")).toEqual(good);
  });
});
