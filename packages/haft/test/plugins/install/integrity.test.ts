import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockedIntegrity } from "../../../src/plugins/packages/install-package.ts";
import { temporaryFolder } from "../../support/haft.ts";

// As each package manager writes them, with a package beside it whose name begins alike.
const LOCKFILES: Readonly<Record<string, string>> = {
  "package-lock.json": JSON.stringify({
    packages: {
      "node_modules/@acme/weather-extra": { version: "1.2.3", integrity: "sha512-other==" },
      "node_modules/@acme/weather": { version: "1.2.3", integrity: "sha512-right==" },
      "node_modules/x/node_modules/@acme/weather": { version: "1.0.0", integrity: "sha512-older==" },
    },
  }),
  "pnpm-lock.yaml": `packages:

  '@acme/weather-extra@1.2.3':
    resolution: {integrity: sha512-other==}

  '@acme/weather@1.0.0':
    resolution: {integrity: sha512-older==}

  '@acme/weather@1.2.3':
    resolution: {integrity: sha512-right==}
    engines: {node: '>=20'}

snapshots:

  '@acme/weather@1.2.3': {}
`,
  "yarn.lock": `# yarn lockfile v1


"@acme/weather-extra@1.2.3":
  version "1.2.3"
  resolved "https://packages.example.com/@acme/weather-extra.tgz#1"
  integrity sha512-other==

"@acme/weather@1.0.0":
  version "1.0.0"
  integrity sha512-older==

"@acme/weather@1.2.3":
  version "1.2.3"
  resolved "https://packages.example.com/@acme/weather.tgz#1"
  integrity sha512-right==
  dependencies:
    version "1.0.0"
`,
  "bun.lock": `{
  "packages": {
    "@acme/weather": ["@acme/weather@1.2.3", "", { "dependencies": { "x": "1" } }, "sha512-right=="],

    "@acme/weather-extra": ["@acme/weather-extra@1.2.3", "", {}, "sha512-other=="],
  }
}
`,
};

test.each(Object.entries(LOCKFILES))("what %s has of a package", async (name, text) => {
  const folder = await temporaryFolder();
  expect(lockedIntegrity(folder, "@acme/weather", "1.2.3")).toBeUndefined();
  await writeFile(join(folder, name), text);
  expect(lockedIntegrity(folder, "@acme/weather", "1.2.3")).toBe("sha512-right==");
  expect(lockedIntegrity(folder, "@acme/weather", "9.9.9")).toBeUndefined();
  expect(lockedIntegrity(folder, "weather", "1.2.3")).toBeUndefined();
});

test("the checksum of a later yarn", async () => {
  const folder = await temporaryFolder();
  const block = `"@acme/weather@npm:1.2.3":
  version: 1.2.3
  resolution: "@acme/weather@npm:1.2.3"
  checksum: 10c0/abc
  languageName: node
`;
  await writeFile(join(folder, "yarn.lock"), `__metadata:\n  version: 8\n\n${block}`);
  expect(lockedIntegrity(folder, "@acme/weather", "1.2.3")).toBe("10c0/abc");
});

test.each(["{", "null", "[]", "%"])("a lockfile that is %j has nothing", async (text) => {
  const folder = await temporaryFolder();
  for (const name of Object.keys(LOCKFILES)) await writeFile(join(folder, name), text);
  expect(lockedIntegrity(folder, "weather", "1.2.3")).toBeUndefined();
});
