// Installs all packages' tarballs into an empty outside folder like a user, with the oldest supported Node,
// and reuses unchanged installations.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { oldestNode, getNodePackage, packedNote, readPackedNote, requireTarball } from "./lib/packed.ts";
import { installPrograms } from "./lib/program-versions.ts";
import { publicPackages, root } from "./lib/workspace.ts";

const tarballs = publicPackages().map(({ folder }) => requireTarball(folder));
/** Returns the ranges of packages that users add. */
function rangesOf(
  packageFolder: string,
  key: "devDependencies" | "peerDependencies",
  names: RegExp,
): string[] {
  const manifest = JSON.parse(readFileSync(join(root, packageFolder, "package.json"), "utf8")) as Partial<
    Record<typeof key, Record<string, string>>
  >;
  const found = Object.entries(manifest[key] ?? {}).filter(([name]) => names.test(name));
  return found.map(([name, range]) => `${name}@${range}`);
}

const others = [
  `${getNodePackage()}@${oldestNode()}`,
  ...rangesOf("packages/sandbox", "devDependencies", /^@anthropic-ai\/sandbox-runtime$/),
  ...rangesOf("packages/store", "peerDependencies", /^@nats-io\//),
];

const hash = createHash("sha256").update(others.join());
for (const file of tarballs) hash.update(readFileSync(file));
const wanted = hash.digest("hex");

const before = readPackedNote();
if (before?.hash === wanted) console.log(`Installed already: ${before.folder}`);
else {
  if (before !== undefined) rmSync(before.folder, { recursive: true, force: true });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-packed-")));
  await installPrograms(folder, ...tarballs, ...others);
  mkdirSync(dirname(packedNote), { recursive: true });
  writeFileSync(packedNote, JSON.stringify({ folder, hash: wanted }));
  console.log(`Installed: ${folder}`);
}
