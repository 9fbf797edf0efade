import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { parsePackageSpec } from "../../src/packages/package-spec.ts";

async function archive(folder: string, manifest: string, inner = "package"): Promise<string> {
  await mkdir(join(folder, inner), { recursive: true });
  await writeFile(join(folder, inner, "index.js"), "export default {};\n");
  await writeFile(join(folder, inner, "package.json"), manifest);
  execFileSync("tar", ["czf", "made.tgz", inner], { cwd: folder });
  return join(folder, "made.tgz");
}

test.each([
  ["haft-plugin-weather", "haft-plugin-weather", undefined],
  ["haft-plugin-weather@1.2.3", "haft-plugin-weather", "1.2.3"],
  ["@acme/weather", "@acme/weather", undefined],
  ["@acme/weather@^2.0.0-beta.1", "@acme/weather", "^2.0.0-beta.1"],
  ["weather@next", "weather", "next"],
])("%s is a package of a registry", (word, name, wanted) => {
  expect(parsePackageSpec(word, "/nowhere")).toEqual({ from: "registry", name, specifier: wanted });
});

// What package managers would take for an option, a repository, another name, or something to run.
test.each([
  "--ignore-scripts=false",
  "-g",
  "@",
  "weather@--global",
  "weather@npm:other@1.0.0",
  "git+https://git.example.com/a/b.git",
  "https://packages.example.com/weather.zip",
  "owner/repository",
  "weather; touch x",
  "weather@$(touch x)",
  "",
])("%j is refused", (word) => {
  const refused = { code: "PACKAGE_INVALID", category: "input" };
  expect(() => parsePackageSpec(word, "/nowhere")).toThrow(expect.objectContaining(refused));
});

describe("local packages", () => {
  test("parses a folder, a module and a packed package", async () => {
    const folder = await temporaryFolder();
    const packed = await archive(folder, '{"name":"@acme/weather","version":"1.2.3"}');
    await writeFile(join(folder, "weather.ts"), "");
    expect(parsePackageSpec("./package", folder)).toEqual({ from: "folder", path: join(folder, "package") });
    expect(parsePackageSpec(`file:${folder}/package/`, "/")).toEqual({
      from: "folder",
      path: join(folder, "package"),
    });
    expect(parsePackageSpec("./weather.ts", folder)).toEqual({
      from: "module",
      path: join(folder, "weather.ts"),
    });
    const read = { from: "archive", path: packed, name: "@acme/weather", version: "1.2.3" };
    expect(parsePackageSpec("made.tgz", folder)).toEqual(read);
    expect(parsePackageSpec(packed, "/")).toEqual(read);
  });

  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "haft-spec-"));
    await mkdir(join(folder, "empty"));
    await writeFile(join(folder, "notes.md"), "");
    await writeFile(join(folder, "broken.tgz"), "no archive");
    await writeFile(join(folder, "cut.tgz"), gzipSync(Buffer.alloc(4096, "x")).subarray(0, 20));
    await writeFile(join(folder, "other.tgz"), gzipSync(Buffer.alloc(1024)));
    for (const [name, manifest] of [
      ["nameless", "{}"],
      ["garbled", "{"],
      ["elsewhere", '{"name":"../../x","version":"1.0.0"}'],
      ["upwards", '{"name":"x","version":"1.0.0/../../../y"}'],
    ] as const)
      renameSync(await archive(join(folder, name), manifest), join(folder, `${name}.tgz`));
    return () => rmSync(folder, { recursive: true });
  });

  test.each<[string, string, RegExp]>([
    ["nothing", "./absent", /is not there/],
    ["nothing, packed", "absent.tgz", /is not there/],
    ["a folder that is no package", "./empty", /has no package\.json/],
    ["a file that is no plugin", "./notes.md", /is no plugin/],
    ["no archive", "./broken.tgz", /is not a package: incorrect header check/],
    ["a cut archive", "./cut.tgz", /is not a package: unexpected end of file/],
    ["an archive without a package", "./other.tgz", /has no package\.json/],
    ["a package that is called nothing", "./nameless.tgz", /has no name/],
    ["a package.json that is none", "./garbled.tgz", /cannot be read/],
    ["a name that leads elsewhere", "./elsewhere.tgz", /is not the name of a package/],
    ["a version that leads elsewhere", "./upwards.tgz", /is not a version/],
  ])("%s", (_, word, message) => {
    const refused = {
      code: "PACKAGE_INVALID",
      message: expect.stringMatching(message),
      fix: expect.stringMatching(/\w/),
    };
    expect(() => parsePackageSpec(word, folder)).toThrow(expect.objectContaining(refused));
  });
});
