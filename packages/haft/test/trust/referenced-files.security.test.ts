import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createConfiguredWorkspace } from "../../../../test/support/configured-workspace.ts";
import { haftHere } from "../support/haft.ts";

// Who looks at what a configuration asks for reads what its texts lead to; whoever wrote it is not to choose what that costs.

const MANIFEST = "w/node_modules/other/package.json";

test.each([
  [
    "a file larger than what is read at once",
    { "w/large": "" },
    '"./large"',
    /large, which cannot be read: .* is larger than 4194304 bytes/,
  ],
  ["a package that is broken", { [MANIFEST]: "{" }, 'import "other"', /other, which cannot be read: .*JSON/],
  ["one that is nothing", { [MANIFEST]: "null" }, 'import "other"', /other, which cannot be read/],
])("rejects and reports %s", async (_what, files, text, message) => {
  const { at, above } = await createConfiguredWorkspace({
    ...files,
    "w/haft.config.ts": `${text}; export default {};\n`,
  });
  if ("w/large" in files) await truncate(join(above, "w/large"), 3 * 1024 ** 3);
  for (const action of [
    ["trusted", "."],
    ["trust", "--yes"],
  ])
    expect(await haftHere(["config", ...action], at)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
});

test.runIf(process.platform === "linux")("rejects and reports code that only fails or waits", async () => {
  const { at, above, write } = await createConfiguredWorkspace({});
  const up = "../".repeat(above.split("/").length + 1);
  await write("w/haft.config.ts", `"./${up}proc/self/mem"; export default {};\n`);
  expect(await haftHere(["config", "trusted", "."], at)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/mem, which cannot be read: EIO/),
  });
});

test("resolves no dependency whose name is a path", async () => {
  const { at } = await createConfiguredWorkspace({
    "package.json": '{ "name": "around" }',
    [MANIFEST]:
      '{ "name": "other", "main": "index.js", "dependencies": { "../../..": "1", "./x": "1", "a/../../..": "1" } }',
    "w/node_modules/other/index.js": "",
    "w/haft.config.ts": 'import "other"; export default {};\n',
  });
  const [{ files }] = (await haftHere(["config", "trusted", ".", "--json"], at)).lines();
  expect(files[0].packages.map(({ name }: { name: string }) => name)).toEqual(["other"]);
});
