import { createDockerBackend, openSandbox, type SandboxSpec } from "@haft/sandbox";
// In a mount namespace of its own: mounts a folder below /usr, starts a daemon, runs a script in a sandbox of it, and
// says what that wrote. Arguments: the folder, for whom it is mounted (`both`, or `engine` alone), the specification,
// the script.
import { execFileSync } from "node:child_process";
import { startDockerd } from "../../../../test/support/dockerd.ts";

const [folder = "", whom = "", spec = "", script = ""] = process.argv.slice(2);
const mount = (): void => void execFileSync("mount", ["--bind", folder, "/usr/local/src"]);
const unmount = (): void => void execFileSync("umount", ["/usr/local/src"]);
mount();
const daemon = (await startDockerd(["unshare", "-m", "--propagation", "private"]))!;
if (whom === "engine") unmount();
try {
  const sandbox = await openSandbox(
    createDockerBackend({ socketPath: daemon.socketPath }),
    JSON.parse(spec) as SandboxSpec,
  );
  const { id } = await sandbox.processes.start("attack", { script: `{ ${script}; } 2>&1` });
  await sandbox.processes.wait(id);
  const { chunks } = await sandbox.processes.read(id, 0);
  const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
  await sandbox.close();
  process.stdout.write(JSON.stringify({ text }));
} finally {
  await daemon.stop();
}
