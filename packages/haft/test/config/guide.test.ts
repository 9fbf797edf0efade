import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { installed, tool } from "../plugins/support.ts";
import { haft, temporaryFolder } from "../support/haft.ts";

// What the guide shows is accepted, where it says that it lies.

const guide = readFileSync(new URL("../../../../docs/guides/configuration.md", import.meta.url), "utf8");
const blocks = [...guide.matchAll(/```yaml\n(# (.*?)\n.*?)```/gs)].map(([, text = "", where = ""]) => ({
  text,
  where,
}));

test("the examples of the guide have no problems, and the one of a workspace tightens only", async () => {
  expect(blocks.map(({ where }) => where)).toEqual([
    "~/.config/haft/haft.config.yaml",
    "plugins in ~/.config/haft/haft.config.yaml",
    "haft.config.yaml of a workspace",
  ]);
  const cwd = await temporaryFolder();
  const home = join(cwd, "home");
  await mkdir(join(home, "notes"), { recursive: true });
  const plugins = {
    ...installed("haft-plugin-weather", tool("weather", "forecast")),
    ...installed("haft-plugin-shell", tool("shell", "exec")),
    "local.ts": tool("local", "nearby"),
  };
  for (const [path, text] of Object.entries(plugins)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  for (const { text, where } of blocks) {
    const isFound = where.endsWith("of a workspace");
    await writeFile(join(cwd, "haft.config.yaml"), text);
    const args = ["config", "check", "haft.config.yaml", ...(isFound ? ["--project"] : [])];
    const run = await haft(args, { cwd, env: { HOME: home } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
  }
});
