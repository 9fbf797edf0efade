import { probeView } from "@haft/sandbox/internal";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/support/until.ts";
import { createHost } from "../../src/index.ts";

const probe = await probeView();
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const canRun = probe.available && has("sshfs") && has("fusermount3") && existsSync("/dev/fuse");
if (!canRun)
  process.stderr.write("LEFT OUT: contained commands over sshfs, which need sshfs and /dev/fuse.\n");

const MOUNT = join(import.meta.dirname, "../../../sandbox/test/view/file-times/mount-sshfs-program.ts");

test.skipIf(!canRun && process.env["HAFT_REQUIRE_SERVICES"] !== "1")(
  "over sshfs, where a command can set the change time of a file, no command runs in a view, and the answer says why",
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-sshfs-")));
    const [from, root] = [join(folder, "from"), join(folder, "to")];
    mkdirSync(from);
    mkdirSync(root);
    const mount = spawn(process.execPath, [MOUNT, from, root], { stdio: ["pipe", "inherit", "inherit"] });
    onTestFinished(async () => {
      mount.stdin.end();
      await once(mount, "close");
      rmSync(folder, { recursive: true, force: true });
    });
    await until("it is mounted", () => readFileSync("/proc/self/mounts", "utf8").includes(` ${root} `));
    const host = await createHost({
      workspaceDir: root,
      stateDir: join(folder, "state"),
      policy: { exec: { preset: "contained" } },
      administratorPolicy: false,
    });
    try {
      const session = await host.openSession();
      const command =
        "mkdir .vscode; echo x > .vscode/tasks.json; touch -d 2001-01-01 .vscode .vscode/tasks.json";
      const outcome = await session.call({ name: "exec", arguments: { command } });
      expect(JSON.stringify(outcome)).toContain("programs can set the change times of files there");
      expect(existsSync(join(from, ".vscode"))).toBe(false);
    } finally {
      await host.close();
    }
  },
);
