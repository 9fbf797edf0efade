import type { HostProgram } from "@haft/system";
import { connectRunner } from "@haft/workspace/internal/wire";
import { rm } from "node:fs/promises";
import type { SandboxProbe, SandboxSpec } from "../backend.ts";
import { NODE_RESERVES_MB } from "../isolation/control-group.ts";
import { toProbeResult, probeSpec, unavailableProbe } from "../launch/probe-results.ts";
import { readProgramVersion } from "../programs/host-programs.ts";
import { describeNodeGuard } from "../programs/stage-node.ts";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { isSetuid } from "./explain-failure.ts";
import { type OpenedBubblewrap, RUNNER_ENVIRONMENT } from "./launch.ts";

const ID = "bubblewrap";
const NO_GROUP =
  "no control group can be created here (under systemd, start the host with `systemd-run --user --scope`)";
const CHECK = `
{ command : >>/proc/sys/kernel/core_pattern; } 2>/dev/null && { echo "kernel settings can be written"; exit; }
grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && { echo "commands have capabilities"; exit; }
unshare -Ur true 2>/dev/null && { echo "commands can make user namespaces"; exit; }
[ "$(tail -n +3 /proc/net/dev | grep -cv '^ *lo:')" = 0 ] || { echo "there is a network"; exit; }
: >made && echo held`;

export async function probeBubblewrap(
  find: () => HostProgram | undefined,
  open: (spec: SandboxSpec) => Promise<OpenedBubblewrap>,
  signal?: AbortSignal,
): Promise<SandboxProbe> {
  const details: Record<string, string> = {};
  let folder: string | undefined;
  let opened: OpenedBubblewrap | undefined;
  try {
    folder = makeTemporaryFolder("haft-probe-");
    const bwrap = find();
    if (bwrap !== undefined) {
      details["program"] = bwrap.path + (isSetuid(bwrap.path) ? " (setuid)" : "");
      details["version"] = await readProgramVersion(bwrap);
    }
    const begin = performance.now();
    opened = await open(specFor(folder));
    const { connection } = opened;
    const runner = await connectRunner(
      connection.stream,
      { mounts: connection.mounts, spareShell: false },
      signal,
    );
    const startMs = Math.round(performance.now() - begin);
    const started = performance.now();
    const ran = await runner.processes.start(
      "probe",
      { script: CHECK, cwd: connection.mounts[0]!.path, env: RUNNER_ENVIRONMENT },
      { waitMs: 10_000 },
    );
    details["command"] = `${(performance.now() - started).toFixed(1)} ms`;
    const { chunks } = await runner.processes.read(ran.id, 0, { waitMs: 1000 });
    const output = Buffer.concat(chunks.map(({ bytes }) => bytes))
      .toString()
      .trim();
    Object.assign(details, describe(opened));
    return toProbeResult(
      output,
      { backend: ID, details, startMs },
      "Report this with the versions of bubblewrap and the kernel, and use the Docker backend until then.",
    );
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    return unavailableProbe(ID, thrown, details);
  } finally {
    await opened?.connection.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

function specFor(hostPath: string): SandboxSpec {
  const mounts = [{ name: "", hostPath, path: "/workspace", access: "rw" }] as const;
  return probeSpec({ cpus: 1 }, { workspace: "rw", mounts });
}

function describe({
  controllers,
  filtered,
  guarded,
  propagatesMounts,
}: OpenedBubblewrap): Record<string, string> {
  return {
    isolation:
      "user, mount, pid, network, ipc, uts and cgroup namespaces; no capabilities, no new user namespaces",
    "system calls": filtered
      ? "filtered"
      : "not filtered: there is no filter for this machine, or it is turned off",
    runner: describeNodeGuard({ guarded }),
    "later mounts": propagatesMounts
      ? "later mounts of the host in a mounted folder appear inside, because `unshare` cannot make namespaces here"
      : "stay outside",
    user:
      process.getuid?.() === 0
        ? "the owner of the workspace; where that is root, as 1000, with root's files and none of its capabilities"
        : "the user of the host",
    "limit memoryMb": controllers.has("memory")
      ? "enforced for all processes together (control group)"
      : `enforced for each process separately, with ${NODE_RESERVES_MB} MiB more (RLIMIT_DATA): ${NO_GROUP}`,
    "limit tasks": controllers.has("pids")
      ? "enforced (control group)"
      : `enforced for ordinary users (RLIMIT_NPROC), not for files of root: ${NO_GROUP}`,
    "limit cpus": controllers.has("cpu") ? "enforced (control group)" : `not enforced: ${NO_GROUP}`,
    "limit fileMb": "enforced (RLIMIT_FSIZE)",
    "limit tmpMb": "enforced (size of the file system)",
    lifetime: "tethered",
  };
}
