import { execFileSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../src/config/read-config.ts";
import { proposeTrust } from "../../src/config/workspace/propose-trust.ts";
import { checkPolicyFile } from "../../src/review/check-policy.ts";
import { temporaryFolder } from "../support/haft.ts";

/** Folders with files that no policy is read from. */
async function makeTargets() {
  const folder = await temporaryFolder();
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const link = join(folder, "link.yaml");
  symlinkSync(pipe, link);
  const large = join(folder, "large.yaml");
  writeFileSync(large, "");
  truncateSync(large, 2 * 1024 * 1024);
  return { folder, targets: [pipe, link, large, "/dev/null", "/dev/fd/0", folder] };
}

const REFUSED =
  /not a regular file|is larger than 1048576 bytes|socket or a device|is a folder; name a file in it/;

test.each([
  ["policy", (path: string) => `policy: ${path}\n`],
  ["agents", (path: string) => `policy:\n  agents:\n    x: ${path}\n`],
  ["sessions", (path: string) => `policy:\n  sessions:\n    group: ${path}\n`],
])("a configuration names only regular files of at most 1 MiB: %s", async (_part, textOf) => {
  const { folder, targets } = await makeTargets();
  const file = join(folder, "haft.config.yaml");
  for (const target of targets) {
    writeFileSync(file, textOf(target));
    await expect(readConfig(file)).rejects.toThrow(REFUSED);
    await expect(proposeTrust(file)).rejects.toThrow(REFUSED);
  }
});

test("a policy names only regular files of at most 1 MiB", async () => {
  const { folder, targets } = await makeTargets();
  const file = join(folder, "policy.yaml");
  for (const target of targets) {
    writeFileSync(file, `agents:\n  x: ${target}\n`);
    expect(JSON.stringify(await checkPolicyFile(file, {}))).toMatch(REFUSED);
  }
});
