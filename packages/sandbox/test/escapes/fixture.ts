import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxLimits } from "../../src/backend.ts";

/** Things of the host that attempts try to reach. Made for them: nothing real is at stake. */
export interface EscapeFixture {
  /** Folder of the host to mount as the workspace, writable. */
  workspace: string;
  /** Folder of the host to mount read-only, at {@link SANDBOX_READ_ONLY_PATH}. */
  readOnly: string;
  /** Outside of both. */
  secretPath: string;
  /** When the host's devices were last changed, see {@link deviceTimes}. */
  devices: Record<string, number>;
  /** In names of files and sockets of this fixture. */
  mark: string;
  /** What the scripts need to know. */
  variables(limits: SandboxLimits): Record<string, string>;
  /** Connections to its services so far, and what was written to its FIFOs. */
  connections(): number;
  close(): Promise<void>;
}

/** Of files in what is mounted below the read-only folder. */
export const MOUNTED_TEXT = "mounted below\n";

/** Two file systems, one below the other, for everybody to write to; only root may mount them. */
async function mountBelow(readOnly: string): Promise<() => void> {
  if (process.getuid?.() !== 0) return () => {};
  const mounts = [join(readOnly, "mounted"), join(readOnly, "mounted/deeper")];
  for (const mount of mounts) {
    await mkdir(mount);
    execFileSync("mount", ["-t", "tmpfs", "-o", "mode=777,size=1m", "haft-escape", mount]);
    await writeFile(join(mount, "file"), MOUNTED_TEXT);
    await chmod(join(mount, "file"), 0o666);
  }
  return () => mounts.toReversed().forEach((mount) => execFileSync("umount", ["-l", mount]));
}

/** Where attempts look for what is mounted read-only. */
export const SANDBOX_READ_ONLY_PATH = "/mnt/read-only";
/** Small, so that reaching them costs little. */
export const ATTEMPT_LIMITS: SandboxLimits = { memoryMb: 320, tasks: 96, cpus: 0, fileMb: 64, tmpMb: 48 };

/** When mode or owner of devices that everything uses were last set; using them does not count. */
export function deviceTimes(): Record<string, number> {
  const paths = ["/dev/full", "/dev/zero", "/dev/null"];
  return Object.fromEntries(paths.map((path) => [path, statSync(path).ctimeMs]));
}

/** @param owner of the workspace, when it should not be the one who runs this. */
export async function openEscapeFixture(owner?: { uid: number; gid: number }): Promise<EscapeFixture> {
  const mark = `haft-escape-${Math.random().toString(36).slice(2)}`;
  const folder = await mkdtemp(join(tmpdir(), "haft-escapes-"));
  await chmod(folder, 0o755);
  const [workspace, readOnly, secretPath] = [join(folder, "ws"), join(folder, "ro"), join(folder, "secret")];
  await mkdir(workspace);
  await mkdir(readOnly);
  await writeFile(join(readOnly, "file"), "read-only\n");
  await writeFile(secretPath, `secret ${mark}\n`);
  if (owner !== undefined) {
    const { chown } = await import("node:fs/promises");
    for (const one of [workspace, readOnly, join(readOnly, "file"), secretPath])
      await chown(one, owner.uid, owner.gid);
  }
  const unmount = await mountBelow(readOnly);
  const socketPath = join(folder, "socket");
  let connections = 0;
  const servers: Server[] = [];
  const listen = async (where: object): Promise<Server> => {
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(where, resolve);
    });
    return server;
  };
  const service = await listen({ host: "0.0.0.0", port: 0 });
  const { port } = service.address() as { port: number };
  await listen({ path: `\0${mark}` });
  await listen({ path: socketPath });
  const fifos: number[] = [];
  for (const place of [workspace, readOnly]) {
    await listen({ path: join(place, "server.sock") });
    await listen({ path: `${socketPath}-made` });
    // By the name that lists have, nobody finds it.
    await rename(`${socketPath}-made`, join(place, "moved.sock"));
    const fifo = join(place, "fifo");
    execFileSync("mkfifo", [fifo]);
    fifos.push(openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK));
    for (const name of ["server.sock", "moved.sock", "fifo"]) await chmod(join(place, name), 0o777);
  }
  let heard = 0;
  const listenToFifos = (): number => {
    for (const fd of fifos) {
      try {
        heard += readSync(fd, Buffer.alloc(1024));
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== "EAGAIN") throw thrown;
      }
    }
    return heard;
  };
  const processMark = Math.random().toString(36).slice(2);
  const envMark = Math.random().toString(36).slice(2);
  const victim = spawn("sleep", ["600"], { stdio: "ignore", env: { MARK: `process${processMark}` } });
  process.env["HAFT_ESCAPE_SECRET"] = `environment${envMark}`;
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
  return {
    workspace,
    readOnly,
    secretPath,
    devices: deviceTimes(),
    mark,
    variables: (limits) => ({
      SECRET_PATH: secretPath,
      MARK: mark,
      HOST_PID: String(victim.pid),
      // In halves, so that who looks for the whole does not find the one who looks.
      PROCESS_MARK_1: "process",
      PROCESS_MARK_2: processMark,
      ENV_MARK_1: "environment",
      ENV_MARK_2: envMark,
      READ_ONLY_INSIDE: SANDBOX_READ_ONLY_PATH,
      SERVICE_PORT: String(port),
      SERVICE_ADDRESSES: addresses.join(" "),
      SOCKET_PATH: socketPath,
      ABSTRACT_NAME: mark,
      TASKS: String(limits.tasks),
      MEMORY_MB: String(limits.memoryMb),
      TMP_MB: String(limits.tmpMb),
      FILE_MB: String(limits.fileMb),
    }),
    connections: () => connections + listenToFifos(),
    close: async () => {
      delete process.env["HAFT_ESCAPE_SECRET"];
      victim.kill("SIGKILL");
      fifos.forEach((fd) => closeSync(fd));
      await Promise.all(servers.map((one) => new Promise((resolve) => one.close(resolve))));
      unmount();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
