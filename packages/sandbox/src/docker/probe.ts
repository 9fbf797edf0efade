import type { SandboxBackend, SandboxProbe } from "../backend.ts";
import { probeSpec, unavailableProbe } from "../launch/probe-results.ts";
import { Containers } from "./container/containers.ts";
import { type EngineInfo, isRootless } from "./container/read-only-mounts.ts";
import { systemCallProfile } from "./container/system-call-profile.ts";
import { tcpMemoryLimit } from "./container/tcp-memory.ts";
import type { Engine } from "./engine/engine.ts";

const MIB = 1024 * 1024;
const PROBE_MB = 256;

interface Info extends EngineInfo {
  Driver: string;
  CgroupVersion?: string;
  MemoryLimit: boolean;
  PidsLimit: boolean;
  CpuCfsQuota: boolean;
}

/** Version 1 counts TCP socket data separately, and only on its own machine. */
async function aboutTcp(engine: Engine, id: string): Promise<string> {
  const pid = await new Containers(engine).mainProcess(id).catch(() => 0);
  const limit = tcpMemoryLimit({ id, pid });
  return limit === PROBE_MB * MIB
    ? "enforced (control group), and again for data in TCP sockets"
    : "enforced (control group), except for data in TCP sockets: only root of the Engine's machine can limit that";
}

export async function probeDocker(
  backend: SandboxBackend,
  reach: () => Engine,
  image: string,
  isGuarded: () => boolean,
  signal?: AbortSignal,
): Promise<SandboxProbe> {
  const details: Record<string, string> = { image };
  try {
    const engine = reach();
    details["socket"] = engine.socketPath;
    const { version, api, isPodman } = await engine.version(signal);
    const info = await engine.call<Info>("GET", "/info", { signal });
    // Rootless Podman reports limits that it ignores: these with version 1, and file sizes always.
    const isUnlimited = isPodman && isRootless(info);
    const ignored = isUnlimited && info.CgroupVersion === "1";
    const enforced = (yes: boolean): string =>
      yes && !ignored ? "enforced (control group)" : "not enforced here";
    Object.assign(details, {
      version: isPodman ? `${version} of Podman` : version,
      api,
      storage: info.Driver,
      "control groups": `version ${info.CgroupVersion ?? "1"}`,
      security: [
        ...(info.SecurityOptions ?? []).map((one) => one.replace(/^name=/, "")),
        ...(info.Rootless === true ? ["rootless"] : []),
      ].join(" "),
      "system calls":
        systemCallProfile() === undefined ? "filtered only by Docker" : "only calls on Haft's list",
      user: "the owner of the workspace; where that is root, root by number: without capabilities, system files or setuid",
      "limit memoryMb": enforced(info.MemoryLimit),
      "limit tasks": enforced(info.PidsLimit),
      "limit cpus": enforced(info.CpuCfsQuota),
      "limit fileMb": isUnlimited
        ? "not enforced here"
        : "enforced for each file; the workspace has no quota",
      "limit tmpMb": "enforced",
    });
    const start = performance.now();
    const connection = await backend.open(probeSpec({ memoryMb: PROBE_MB, tasks: 64 }), signal);
    const startMs = performance.now() - start;
    if (info.MemoryLimit && !ignored && info.CgroupVersion !== "2")
      details["limit memoryMb"] = await aboutTcp(engine, connection.ref.id);
    await connection.close();
    details["runner"] = isGuarded()
      ? "closed to commands"
      : "open to commands: they have the same rights and can read its Node or the first process of the container";
    return { backend: backend.id, available: true, details, startMs };
  } catch (thrown) {
    return unavailableProbe(backend.id, thrown, details);
  }
}
