import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haftHere } from "../support/haft.ts";

/** How Node words an error of the system. */
const RAW = /\bE[A-Z]{3,}: /;

test.each([
  ["mcp", "import", "own/x"],
  ["mcp", "import", "folder"],
  ["tools", "--state", "own/x"],
  ["tools", "--workspace", "own/x"],
  ["tools", "--policy", "own/x"],
  ["tools", "--config", "own/x"],
  ["policy", "check", "own/x"],
  ["policy", "import", "claude", "own/x"],
  ["plugins", "manifest", "own/x"],
  ["plugins", "add", "./own/x"],
  ["guard", "status"],
  ["guard", "log", "--file", "own/x"],
  ["tools", "patch", "own/x"],
])("explains a refused system call: haft %s %s %s %s", async (...words) => {
  const cwd = await temporaryFolder();
  const home = join(cwd, "home");
  await mkdir(join(cwd, "folder"));
  // Settings of an agent that are a folder.
  await mkdir(join(home, ".claude/settings.json"), { recursive: true });
  await writeFile(join(cwd, "own"), "a\n");
  const { stdout, stderr } = await haftHere(words, { cwd, env: { HOME: home } });
  expect(stdout + stderr).not.toMatch(RAW);
});
