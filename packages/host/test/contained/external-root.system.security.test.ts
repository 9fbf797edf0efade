import { probeView } from "@haft/sandbox/view";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHost } from "../../src/host/host.ts";

const probe = await probeView();
const canRun = probe.available && process.getuid?.() === 0;
if (!canRun) process.stderr.write("LEFT OUT: root in the workspace of another user, which needs root.\n");

async function workspaceOf(user: number, mode: number) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-owner-")));
  chmodSync(folder, 0o755);
  const root = join(folder, "work");
  mkdirSync(root);
  writeFileSync(join(root, "theirs.txt"), "theirs\n");
  for (const path of [root, join(root, "theirs.txt")]) chownSync(path, user, user);
  chmodSync(root, mode);
  const host = await createHost({
    workspaceDir: root,
    stateDir: join(folder, "state"),
    policy: { exec: { preset: "contained" } },
    administratorPolicy: false,
  });
  onTestFinished(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const session = await host.openSession();
  const run = async (command: string) =>
    JSON.stringify(await session.call({ name: "exec", arguments: { command } }));
  return { root, run };
}

test.skipIf(!canRun)(
  "root in a workspace of another user: commands read, and the answer says why they do not write",
  async () => {
    const { root, run } = await workspaceOf(4242, 0o755);
    const said = await run("cat theirs.txt; echo x > new.txt");
    expect(said).toContain("theirs");
    expect(said).toContain(
      `Commands cannot make files in ${root}: ${root} belongs to user 4242 with mode 0755`,
    );
    expect(said).toContain("sudo -u '#4242'");
    expect(existsSync(join(root, "new.txt"))).toBe(false);
    expect(await run("true")).not.toContain("belongs to user");
  },
);

test.skipIf(!canRun)(
  "root in a workspace that is closed to others: nothing is started, and the error says why",
  async () => {
    const { root, run } = await workspaceOf(4242, 0o700);
    const said = await run("true");
    expect(said).toContain("CONTAINMENT_UNAVAILABLE");
    expect(said).toContain(`they cannot enter ${root}: ${root} belongs to user 4242 with mode 0700`);
    expect(said).not.toContain("installed");
  },
);

test.skipIf(!canRun)(
  "root in a folder of root's, or one that everybody may write in: nothing is said, and commands write",
  async () => {
    for (const [user, mode] of [
      [0, 0o700],
      [4242, 0o777],
    ] as const) {
      const { root, run } = await workspaceOf(user, mode);
      expect(await run("echo x > new.txt")).not.toContain("belongs to user");
      expect(existsSync(join(root, "new.txt"))).toBe(true);
    }
  },
);
