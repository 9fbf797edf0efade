import { readFileWithOwnership, readYaml, readConfig, proposeTrust } from "@haft/config/internal/document";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { checkPolicyFile } from "../../src/review/check-policy.ts";

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

const REFUSED_BEFORE_TRUST = new RegExp(`outside of its workspace|${REFUSED.source}`);

test.each([
  ["policy", (path: string) => `policy: ${path}\n`],
  ["agents", (path: string) => `policy:\n  agents:\n    x: ${path}\n`],
  ["sessions", (path: string) => `policy:\n  sessions:\n    group: ${path}\n`],
])("a configuration can only name regular files of at most 1 MiB: %s", async (_part, textOf) => {
  const { folder, targets } = await makeTargets();
  const file = join(folder, "haft.config.yaml");
  for (const target of targets) {
    writeFileSync(file, textOf(target));
    await expect(readConfig(file)).rejects.toThrow(REFUSED);
    await expect(proposeTrust(file)).rejects.toThrow(REFUSED_BEFORE_TRUST);
  }
});

test("a policy can only name regular files of at most 1 MiB", async () => {
  const { folder, targets } = await makeTargets();
  const file = join(folder, "policy.yaml");
  for (const target of targets) {
    writeFileSync(file, `agents:\n  x: ${target}\n`);
    expect(JSON.stringify(await checkPolicyFile(file, {}))).toMatch(REFUSED);
  }
});

/** A configuration in a workspace, and a secret beside the workspace that is valid YAML. */
async function makeWorkspace() {
  const folder = await temporaryFolder();
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, ".git"), { recursive: true });
  const secret = join(folder, "hosts.yaml");
  writeFileSync(secret, `${SECRET}: { oauth_token: ${SECRET} }\n`);
  return { workspace, secret, file: join(workspace, "haft.config.yaml") };
}

const SECRET = "opaque-value-of-another-file";

test.each([
  ["policy", (path: string) => `policy: ${path}\n`],
  ["agents", (path: string) => `policy:\n  agents:\n    x: ${path}\n`],
])("an untrusted configuration cannot name files outside its workspace: %s", async (_part, textOf) => {
  const { workspace, secret, file } = await makeWorkspace();
  symlinkSync(secret, join(workspace, "link.yaml"));
  symlinkSync(join(workspace, ".."), join(workspace, "folder"));
  for (const named of [secret, "../hosts.yaml", "./link.yaml", "./folder/hosts.yaml"]) {
    writeFileSync(file, textOf(named));
    const refused = await proposeTrust(file).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: "CONFIG_UNTRUSTED" });
    expect(inspect(refused)).not.toContain(SECRET);
  }
});

test("an untrusted configuration can name a link inside its workspace", async () => {
  const { workspace, file } = await makeWorkspace();
  writeFileSync(join(workspace, "rules.yaml"), "deny: [exec]\n");
  symlinkSync("rules.yaml", join(workspace, "link.yaml"));
  writeFileSync(file, "policy: ./link.yaml\n");
  expect((await proposeTrust(file)).config?.config.policy).toEqual({ deny: ["exec"] });
});

test.each([
  ["another mapping", `${SECRET}: { oauth_token: ${SECRET} }\n`],
  ["a scalar", `${SECRET}\n`],
  ["a wrong value", `deny: ${SECRET}\n`],
  ["a wrong alias", `deny: *${SECRET}\n`],
  ["a duplicate key", `${SECRET}: 1\n${SECRET}: 2\n`],
  ["a wrong selector", `deny: ["${SECRET} ("]\n`],
  ["no YAML", `deny: [${SECRET}\n`],
])("errors about an untrusted configuration do not contain named files: %s", async (_what, text) => {
  const { workspace, file } = await makeWorkspace();
  writeFileSync(join(workspace, ".env.yaml"), text);
  for (const config of ["policy: ./.env.yaml\n", "policy: { agents: { x: ./.env.yaml } }\n"]) {
    writeFileSync(file, config);
    const refused = await proposeTrust(file).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(Error);
    expect(inspect(refused, { depth: 9 })).not.toContain(SECRET);
    expect(inspect(refused)).toContain(".env.yaml");
  }
});

test("a configuration is read up to a limit while the file grows", async () => {
  const { file } = await makeWorkspace();
  // The system reports the size 0 for this file, as it does for one that grows.
  expect(readFileWithOwnership("/proc/self/maps", 16)).toEqual({
    why: "has 17 bytes, and a configuration at most 16",
  });
  expect(readFileWithOwnership(file)).toBeUndefined();
});

test("a text with many blank lines is rejected before it is parsed", async () => {
  const read = await readYaml(`deny: [exec]\n${"\t\n".repeat(60_000)}`);
  expect(read).toEqual({ problems: [{ path: "", message: "it has more than 1000 blank lines in a row." }] });
  expect(await readYaml(`deny: [exec]\n${"\n".repeat(900)}ask: [read]\n`)).toHaveProperty("value");
});
