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
  "root in a workspace of another user can read, and the result explains why commands cannot write",
  async () => {
    const { root, run } = await workspaceOf(4242, 0o755);
    const printed = await run("cat theirs.txt; echo x > new.txt");
    expect(printed).toContain("theirs");
    expect(printed).toContain(
      `Commands cannot create files in ${root}: ${root} belongs to user 4242 with mode 0755`,
    );
    expect(printed).toContain("sudo -u '#4242'");
    expect(existsSync(join(root, "new.txt"))).toBe(false);
    expect(await run("true")).not.toContain("belongs to user");
  },
);

test.skipIf(!canRun)(
  "root in a workspace closed to others starts nothing, and the error explains why",
  async () => {
    const { root, run } = await workspaceOf(4242, 0o700);
    const printed = await run("true");
    expect(printed).toContain("CONTAINMENT_UNAVAILABLE");
    expect(printed).toContain(`they cannot enter ${root}: ${root} belongs to user 4242 with mode 0700`);
    expect(printed).not.toContain("installed");
  },
);

test.skipIf(!canRun)(
  "root in its own folder or a folder open to all can write without a warning",
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
