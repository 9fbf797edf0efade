import { connectRunner } from "@haft/workspace/internal/wire";
import type { SandboxProbe, SandboxSpec } from "../backend.ts";
import { toProbeResult, probeSpec, unavailableProbe } from "../launch/probe-results.ts";
import type { LocalSandbox } from "../launch/supervised-backend.ts";
import { listCheck } from "./list-check.ts";
import { ID } from "./requirements.ts";

export interface OpenedRuntime extends LocalSandbox {
  node: string;
  socat: string | undefined;
  version: string;
}

export async function probeRuntime(
  open: (spec: SandboxSpec) => Promise<OpenedRuntime>,
  signal?: AbortSignal,
): Promise<SandboxProbe> {
  let opened: OpenedRuntime | undefined;
  try {
    const begin = performance.now();
    opened = await open(probeSpec({}, { network: { allow: ["localhost"] } }));
    const { connection, node, socat } = opened;
    const { stream, mounts, inherit } = connection;
    const runner = await connectRunner(stream, { mounts, inherit: inherit!, spareShell: false }, signal);
    const startMs = Math.round(performance.now() - begin);
    const details = describe(opened);
    const fix =
      "Report this with the version of the package, and use the bubblewrap or Docker backend until then.";
    const proxy = runner.env["HTTP_PROXY"];
    if (proxy === undefined)
      return toProbeResult("there is no proxy", { backend: ID, details, startMs }, fix);
    const ran = await runner.processes.start(
      "probe",
      {
        argv: listCheck({ proxy, node, socat }),
        cwd: mounts[0]!.path,
        env: { ...runner.env },
        timeoutMs: 15_000,
      },
      { waitMs: 20_000 },
    );
    const { chunks } = await runner.processes.read(ran.id, 0, { waitMs: 1000 });
    const output = Buffer.concat(chunks.map(({ bytes }) => bytes))
      .toString()
      .trim();
    return toProbeResult(output, { backend: ID, details, startMs }, fix);
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    return unavailableProbe(ID, thrown, {});
  } finally {
    await opened?.connection.close();
  }
}

function describe({ version, controllers, filtered, guarded }: OpenedRuntime): Record<string, string> {
  const linux = process.platform === "linux";
  const group = (name: "memory" | "pids") =>
    controllers.has(name) ? "enforced (control group)" : "enforced for each process separately";
  return {
    package: version,
    isolation: linux ? "user, mount, pid and network namespaces by bubblewrap" : "sandbox-exec",
    network: "none, or a list of hosts, enforced by proxies outside",
    "system calls": filtered ? "sockets of this machine and new namespaces are refused" : "not filtered",
    runner: guarded ? "closed to commands" : "open to commands of the same user",
    folders: "where they are on the host; names of folders at its root can be seen",
    "limit memoryMb": group("memory"),
    "limit tasks": group("pids"),
    "limit cpus": controllers.has("cpu") ? "enforced (control group)" : "not enforced",
    "limit fileMb": "enforced (RLIMIT_FSIZE)",
    "limit tmpMb": "not enforced: temporary files are on the disk of the host",
    lifetime: "tethered",
  };
}
