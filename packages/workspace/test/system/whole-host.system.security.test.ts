import { findHostProgram } from "@haft/system";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createHostWorkspace } from "../../src/index.ts";
import { folder, run, session } from "../processes/support.ts";

// In this order, and in a file of its own: a root stays one for as long as the program runs.

test("finds host programs if the boundary of a session is opened", async () => {
  createHostWorkspace({ root: folder(), workspaceOnly: false });
  expect(findHostProgram("sh").program?.path).toMatch(/\/sh$/);
});

test("finds system programs if the root is a home folder", () => {
  const home = folder();
  createHostWorkspace({ root: home });
  vi.stubEnv("PATH", `${join(home, ".local/bin")}:${process.env["PATH"]}`);
  expect(findHostProgram("sh").program?.path.startsWith(homedir())).toBe(false);
  vi.unstubAllEnvs();
});

test("finds no programs if the root is /, and reports the reason", async () => {
  const reasons: string[] = [];
  const { processes } = session({ onReduced: (why) => reasons.push(why) });
  const strict = session({ isolation: "namespace" });
  createHostWorkspace({ root: "/" });
  await expect(strict.processes.start("strict", { argv: ["/bin/echo"] })).rejects.toMatchObject({
    code: "HOST_PROGRAM_MISSING",
    message: expect.stringMatching(
      /^Cannot start .*: \w+ is not started from \/\S+(, which is \S+)?: it lies in \/, where a session works/,
    ),
  });
  // What a session runs is its own.
  expect((await run(processes, { argv: ["/bin/echo", "hi"] })).text).toBe("hi\n");
  expect(processes.isolation).toMatchObject({ kind: "group", startedBy: "host" });
  expect(reasons.join("\n")).toContain("it lies in /, where a session works");
});
