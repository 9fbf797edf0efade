import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { integrityInLockfile } from "../../src/trust/lockfile.ts";

// As the package managers write them.

const NPM = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    "": { name: "shop" },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-AAAA" },
    "node_modules/@s/b": { version: "2.0.0", integrity: "sha512-BBBB" },
    "node_modules/a/node_modules/@s/b": { version: "1.5.0", integrity: "sha512-CCCC" },
    "node_modules/linked": { resolved: "linked", link: true },
  },
});
const PNPM = `lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0

packages:

  '@s/b@2.0.0':
    resolution: {integrity: sha512-BBBB}

  a@1.0.0:
    resolution: {integrity: sha512-AAAA, tarball: https://registry.example.com/a.tgz}
    engines: {node: '>=18'}

  local@file:../local:
    resolution: {directory: ../local, type: directory}

snapshots:

  '@s/b@2.0.0': {}

  a@1.0.0:
    dependencies:
      '@s/b': 2.0.0
`;
const PNPM_6 = `lockfileVersion: '6.0'

packages:

  /@s/b@2.0.0(react@18.0.0):
    resolution: {integrity: sha512-BBBB}
    dev: false

  /a@1.0.0:
    resolution: {integrity: sha512-AAAA}
    dev: false
`;
const YARN_1 = `# yarn lockfile v1


"@s/b@^2.0.0", "@s/b@~2.0.0":
  version "2.0.0"
  resolved "https://registry.example.com/@s/b.tgz#1234"
  integrity sha512-BBBB

a@1.0.0, a@^1.0.0:
  version "1.0.0"
  integrity sha512-AAAA
  dependencies:
    "@s/b" "^2.0.0"
`;
const YARN_4 = `__metadata:
  version: 8

"@s/b@npm:^2.0.0":
  version: 2.0.0
  resolution: "@s/b@npm:2.0.0"
  checksum: 10c0/bbbb
  languageName: node
  linkType: hard

"a@npm:1.0.0, a@npm:^1.0.0":
  version: 1.0.0
  checksum: 10c0/aaaa
  linkType: hard
`;

// With a package beside it whose name begins alike.
const ALIKE: Readonly<Record<string, string>> = {
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

async function locked(file: string, text: string) {
  const project = await temporaryFolder();
  await writeFile(join(project, file), text);
  return (folder: string, name: string, version: string) =>
    integrityInLockfile(join(project, folder), name, version)?.integrity;
}

test.each([
  ["package-lock.json", NPM, "sha512-AAAA", "sha512-BBBB"],
  ["npm-shrinkwrap.json", NPM, "sha512-AAAA", "sha512-BBBB"],
  ["pnpm-lock.yaml", PNPM, "sha512-AAAA", "sha512-BBBB"],
  ["pnpm-lock.yaml", PNPM_6, "sha512-AAAA", "sha512-BBBB"],
  ["yarn.lock", YARN_1, "sha512-AAAA", "sha512-BBBB"],
  ["yarn.lock", YARN_4, "10c0/aaaa", "10c0/bbbb"],
])("%s", async (file, text, a, b) => {
  const find = await locked(file, text);
  expect(find("node_modules/a", "a", "1.0.0")).toBe(a);
  expect(find("node_modules/@s/b", "@s/b", "2.0.0")).toBe(b);
  expect(find("node_modules/a", "a", "1.0.1")).toBeUndefined();
  expect(find("node_modules/b", "b", "2.0.0")).toBeUndefined();
  expect(find("lib/a", "a", "1.0.0")).toBeUndefined();
});

test.each(Object.entries(ALIKE))("ignores a package whose name only begins alike: %s", async (file, text) => {
  const find = await locked(file, text);
  expect(find("node_modules/@acme/weather", "@acme/weather", "1.2.3")).toBe("sha512-right==");
  expect(find("node_modules/@acme/weather", "@acme/weather", "9.9.9")).toBeUndefined();
  expect(find("node_modules/weather", "weather", "1.2.3")).toBeUndefined();
});

test("uses the path for npm, and the lockfile's project for a pnpm store", async () => {
  const npm = await locked("package-lock.json", NPM);
  expect(npm("node_modules/a/node_modules/@s/b", "@s/b", "1.5.0")).toBe("sha512-CCCC");
  expect(npm("node_modules/linked", "linked", "1.0.0")).toBeUndefined();
  const pnpm = await locked("pnpm-lock.yaml", PNPM);
  expect(pnpm("node_modules/.pnpm/a@1.0.0/node_modules/a", "a", "1.0.0")).toBe("sha512-AAAA");
});

test.each(["", "{", "null", "packages:", "a@1.0.0", "[]", "%"])(
  "a lockfile with the content %j lists nothing",
  async (text) => {
    for (const file of Object.keys(ALIKE))
      expect((await locked(file, text))("node_modules/a", "a", "1.0.0")).toBeUndefined();
    const project = await temporaryFolder();
    await mkdir(join(project, "yarn.lock"));
    expect(integrityInLockfile(join(project, "node_modules/a"), "a", "1.0.0")).toBeUndefined();
  },
);

test("reads a changed lockfile again", async () => {
  const project = await temporaryFolder();
  const find = () => integrityInLockfile(join(project, "node_modules/a"), "a", "1.0.0")?.integrity;
  await writeFile(join(project, "package-lock.json"), NPM);
  expect(find()).toBe("sha512-AAAA");
  await writeFile(join(project, "package-lock.json"), NPM.replace("AAAA", "ZZZZ"));
  expect(find()).toBe("sha512-ZZZZ");
});
