import { addConfiguredPlugin, listConfiguredPlugins } from "@haft/plugin-loader/internal/check";
import { hashFile, vendorArchive, readPackageJson } from "@haft/plugin-loader/internal/plugins";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { haft } from "../support/haft.ts";

const PLACED: Record<string, (path: string) => void> = {
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
  "a huge sparse file": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 3 * 1024 ** 3);
  },
};

describe.each(Object.entries(PLACED))("%s in a project", (_, put) => {
  test("is ignored as package.json and as a file of a plugin", async () => {
    const folder = await temporaryFolder();
    put(join(folder, "package.json"));
    expect(readPackageJson(folder)).toBeUndefined();
    expect(hashFile(join(folder, "package.json"))).toBeUndefined();
  });

  test("is rejected as configuration of plugins and as package to keep", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "haft.config.yaml");
    put(file);
    await expect(listConfiguredPlugins({ file, kind: "text" })).rejects.toThrow(
      /not a regular file|larger than/,
    );
    await expect(
      addConfiguredPlugin({ file, kind: "text", folder, as: "project" }, "./a.ts"),
    ).rejects.toThrow(/not a regular file|larger than/);
    expect(() => vendorArchive(folder, { path: file, name: "a", version: "1.0.0" })).toThrow(
      /not a regular file|larger than/,
    );
  });

  test("is rejected as a list of MCP servers", async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "home"));
    const file = join(folder, ".mcp.json");
    put(file);
    const { code, stderr } = await haft(["mcp", "import", file], { cwd: folder });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/not a regular file|larger than/)]);
  });
});
