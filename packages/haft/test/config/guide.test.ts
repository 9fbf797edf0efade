import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { installedPackage, tool } from "../../../host/test/plugins/support.ts";
import { haft } from "../support/haft.ts";

// What the guide shows is accepted, where it says that it lies.

const guide = readFileSync(new URL("../../../../docs/guides/configuration.md", import.meta.url), "utf8");
const blocks = [...guide.matchAll(/```yaml\n(# (.*?)\n.*?)```/gs)].map(([, text = "", where = ""]) => ({
  text,
  where,
}));

test("the examples of the guide are valid, and that of a workspace only tightens", async () => {
  expect(blocks.map(({ where }) => where)).toEqual([
    "~/.config/haft/haft.config.yaml",
    "plugins in ~/.config/haft/haft.config.yaml",
    "haft.config.yaml of a workspace",
  ]);
  const cwd = await temporaryFolder();
  const home = join(cwd, "home");
  await mkdir(join(home, "notes"), { recursive: true });
  const plugins = {
    ...installedPackage("haft-plugin-weather", tool("weather", "forecast")),
    ...installedPackage("haft-plugin-shell", tool("shell", "exec")),
    "local.ts": tool("local", "nearby"),
  };
  for (const [path, text] of Object.entries(plugins)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  const [userFile, named, found] = blocks.map(({ text }) => text) as [string, string, string];
  const check = (...args: string[]) => haft(["config", "check", ...args], { cwd, env: { HOME: home } });
  await writeFile(join(cwd, "own.yaml"), userFile);
  await writeFile(join(cwd, "named.yaml"), named);
  await writeFile(join(cwd, "haft.config.yaml"), found);
  expect(await check("own.yaml", "named.yaml")).toMatchObject({ code: 0, stderr: "" });
  expect(await check("haft.config.yaml", "--project")).toMatchObject({ code: 0, stderr: "" });
});
