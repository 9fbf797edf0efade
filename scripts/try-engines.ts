// Tries the Docker backend with Podman, and with rootless Docker and Podman. Each starts in its own folders
// without a registry, and ends after its results. Tests do not need it.
//
// npm run try:engines [-- --user NAME] [--only podman|podman-rootless|docker-rootless] [--socket PATH]
//   --user    as root: who runs those without root, with lines in /etc/subuid and /etc/subgid
//   --socket  tries the one that listens there, and starts none
import { runnerProgram } from "@haft/workspace/internal/wire";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { checkEngine } from "./lib/engine-checks.ts";

const { values } = parseArgs({
  options: { user: { type: "string" }, only: { type: "string" }, socket: { type: "string" } },
});
const START_TRIES = 150;
const isRoot = process.getuid?.() === 0;

interface Kind {
  name: string;
  asUser: boolean;
  /** A shell script that becomes the Engine, with its socket in the folder `$1`. */
  script: string;
}

// Uses the system's programs in separate folders.
const PODMAN = `exec podman --root "$1/root" --runroot "$1/run" --cgroup-manager=cgroupfs system service --time=0 "unix://$1/socket"`;
const DOCKER = `exec rootlesskit --net=host --copy-up=/etc --copy-up=/run \\
  sh -c 'rm -f /run/docker /run/containerd /run/xtables.lock; exec dockerd --rootless --host="unix://$1/socket" --data-root="$1/data" \\
  --exec-root="$1/exec" --pidfile="$1/pid" --iptables=false --bridge=none --storage-driver=vfs' sh "$1"`;
const KINDS: Kind[] = [
  { name: "podman", asUser: false, script: PODMAN },
  { name: "podman-rootless", asUser: true, script: PODMAN },
  { name: "docker-rootless", asUser: true, script: DOCKER },
];

if (values.socket !== undefined) {
  const checked = await checkEngine(values.socket);
  process.exitCode = checked.some(({ failed }) => failed) ? 1 : 0;
} else {
  // A user with write access bundles the sources first.
  await runnerProgram();
  for (const kind of KINDS.filter(({ name }) => (values.only ?? name) === name)) await tryOne(kind);
}

async function tryOne({ name, asUser, script }: Kind): Promise<void> {
  const user = asUser && isRoot ? values.user : undefined;
  if (asUser ? isRoot && user === undefined : !isRoot) {
    console.error(`${name} is left out: ${asUser ? "name a --user for it" : "only root may start it"}.`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "haft-try-"));
  const ids = user === undefined ? undefined : idsOf(user);
  if (ids !== undefined) chownSync(folder, ids.uid, ids.gid);
  const settings = join(folder, "containers.conf");
  // Podman raises this above the limit of a container without all root capabilities.
  const [, tasks = "unlimited"] =
    /^Max processes +\S+ +(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  writeFileSync(
    settings,
    tasks === "unlimited" ? "" : `[containers]\ndefault_ulimits = ["nproc=${tasks}:${tasks}"]\n`,
  );
  const runtime = join(folder, "runtime");
  mkdirSync(runtime, { mode: 0o700 });
  if (ids !== undefined) chownSync(runtime, ids.uid, ids.gid);
  const env = {
    PATH: `${process.env["PATH"]}:/usr/sbin:/sbin`,
    HOME: user === undefined ? homedir() : homeOf(user),
    XDG_RUNTIME_DIR: runtime,
    CONTAINERS_CONF: settings,
    TMPDIR: tmpdir(),
  };
  const start = (program: string, args: string[], stdio: "inherit" | "ignore") =>
    user === undefined
      ? spawn(program, args, { env, stdio, detached: true, cwd: "/" })
      : spawn("runuser", ["-u", user, "--", program, ...args], { env, stdio, detached: true, cwd: "/" });
  const engine = start("sh", ["-c", `exec >"$1/log" 2>&1\n${script}`, "sh", folder], "ignore");
  try {
    const socket = join(folder, "socket");
    for (let tries = 0; !existsSync(socket) && engine.exitCode === null && tries < START_TRIES; tries++)
      await sleep(100);
    if (!existsSync(socket)) {
      console.error(
        `${name} did not come up: ${execFileSync("tail", ["-n", "5", join(folder, "log")], { encoding: "utf8" })}`,
      );
      return;
    }
    await sleep(500);
    console.error(`\n# ${name} (${versionsOf(socket)})`);
    const own = ["--conditions=@haft/source", "--no-warnings", import.meta.filename, "--socket", socket];
    await once(start(process.execPath, own, "inherit"), "exit");
  } finally {
    await endAll(folder);
    // Containers may leave mounts.
    for (const path of mountsIn(folder).toReversed()) spawnSync("umount", ["-l", path], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends the Engine and its processes, whose arguments contain the folder, even outside the group. */
async function endAll(folder: string): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    for (const pid of readdirSync("/proc")
      .map(Number)
      .filter((one) => one > 1 && one !== process.pid)) {
      try {
        if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder)) process.kill(pid, signal);
      } catch {
        // The process has ended.
      }
    }
    await sleep(3000);
  }
}

function versionsOf(socket: string): string {
  const said = execFileSync("curl", ["-s", "--unix-socket", socket, "http://engine/version"], {
    encoding: "utf8",
  });
  const { Components = [] } = JSON.parse(said) as { Components?: { Name: string; Version: string }[] };
  return Components.map(({ Name, Version }) => `${Name} ${Version.split("\n")[0]}`).join(", ");
}

function mountsIn(folder: string): string[] {
  const table = readFileSync("/proc/self/mountinfo", "utf8");
  return table
    .split("\n")
    .flatMap((line) => line.split(" ")[4] ?? [])
    .filter((path) => path.startsWith(`${folder}/`));
}

function idsOf(user: string): { uid: number; gid: number } {
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(execFileSync("id", [flag, user], { encoding: "utf8" })),
  );
  return { uid: uid!, gid: gid! };
}

function homeOf(user: string): string {
  return execFileSync("getent", ["passwd", user], { encoding: "utf8" }).split(":")[5] ?? "/";
}
