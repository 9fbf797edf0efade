import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./until.ts";

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const canMount = has("sshfs") && has("fusermount3") && existsSync("/dev/fuse");
if (!canMount) process.stderr.write("LEFT OUT: what is tried over sshfs, which needs sshfs and /dev/fuse.\n");

/** Nothing can be tried over sshfs here, and it is not required. */
export const noSshfs = !canMount && process.env["HAFT_REQUIRE_SERVICES"] !== "1";

/** A folder, as it is and as it is seen over the protocol of SFTP. */
export interface SshfsMount {
  from: string;
  to: string;
  /** Beside both, on the disk. */
  beside: string;
  close(): Promise<void>;
}

/** Mounts a new folder over sshfs, without a network. */
export async function mountSshfs(): Promise<SshfsMount> {
  const beside = realpathSync(mkdtempSync(join(tmpdir(), "haft-sshfs-")));
  const [from, to] = [join(beside, "from"), join(beside, "to")];
  mkdirSync(from);
  mkdirSync(to);
  const mount = spawn(process.execPath, [join(import.meta.dirname, "mount-sshfs-program.ts"), from, to], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  await until("it is mounted", () => readFileSync("/proc/self/mounts", "utf8").includes(` ${to} `));
  return {
    from,
    to,
    beside,
    async close() {
      mount.stdin.end();
      await once(mount, "close");
      rmSync(beside, { recursive: true, force: true });
    },
  };
}
