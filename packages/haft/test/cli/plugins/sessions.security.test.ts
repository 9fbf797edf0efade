import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { makeHome, moduleWith } from "./plugin-packages.ts";

// What an agent may call is not for it to say.

test.each([
  ["add", "haft-plugin-weather"],
  ["remove", "weather"],
])("refuses to %s plugins for a command of a session", async (...args) => {
  const home = await makeHome();
  home.env["HAFT_PROCESS"] = "some-session";
  const result = await home.haft("plugins", ...args);
  expect(result).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Only the user decides.*INSIDE_SESSION/s),
  });
  expect(existsSync(home.config)).toBe(false);
});

test("refuses a script that hides such a command", async () => {
  const { haft, cwd, config, env } = await makeHome();
  await writeFile(join(cwd, "own.js"), moduleWith("own", "own_tool"));
  const quoted = haftCommand.map((word) => `'${word}'`).join(" ");
  const home = ["HOME", "XDG_CONFIG_HOME", "HAFT_STATE_DIR"].map((key) => `${key}='${env[key]}'`).join(" ");
  await writeFile(join(cwd, "hidden.sh"), `${home} ${quoted} plu""gins ad""d ./own.js\n`);
  const result = await haft(
    "tools",
    "call",
    "exec",
    '{"command":"sh ./hidden.sh"}',
    "--state",
    join(cwd, "../other-state"),
  );
  expect(result.stdout).toMatch(/Only the user decides.*INSIDE_SESSION/s);
  expect(existsSync(config)).toBe(false);
});
