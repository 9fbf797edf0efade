import { HaftError, messageOf, withoutUndefined } from "@haft/core";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { hostProgram, runProgram } from "@haft/workspace/internal/system";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardOf, stageNode } from "../programs/stage-node.ts";
import { openView } from "./open-view.ts";
import type { ViewOptions } from "./view-spec.ts";

/** Whether commands can be contained on this machine, and how well. */
export interface ViewProbe {
  available: boolean;
  /** Why not. */
  reason?: string;
  fix?: string;
  details: Record<string, string>;
  /** Milliseconds until its first command had ended. */
  startMs?: number;
}

/** Says `held`, or what does not hold. */
const CHECK = `
{ command : >>/proc/sys/kernel/core_pattern; } 2>/dev/null && { echo "kernel settings can be written"; exit; }
{ command : >/etc/.haft-probe; } 2>/dev/null && { echo "folders of the system can be written"; exit; }
grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && { echo "commands have capabilities"; exit; }
unshare -Ur true 2>/dev/null && { echo "commands can make user namespaces"; exit; }
[ "$(tail -n +3 /proc/net/dev | grep -cv '^ *lo:')" = 0 ] || { echo "there is a network"; exit; }
: >made && echo held`;
const WAIT_MS = 15_000;
const probes = new Map<string, Promise<ViewProbe>>();

/**
 * Opens a view and runs a command in it that looks whether it holds; once for each program, as long as this one runs. Never
 * throws but when cancelled.
 */
export function probeView(options: ViewOptions & { signal?: AbortSignal } = {}): Promise<ViewProbe> {
  const { signal, ...made } = options;
  signal?.throwIfAborted();
  const key = JSON.stringify([made.bwrap, made.cacheFolder]);
  let probe = probes.get(key);
  if (probe === undefined) {
    probe = look(made);
    probes.set(key, probe);
  }
  if (signal === undefined) return probe;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([probe, promise]).finally(() => signal.removeEventListener("abort", stop));
}

async function look(options: ViewOptions): Promise<ViewProbe> {
  const details: Record<string, string> = {};
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-probe-")));
  const work = join(folder, "work");
  await mkdir(work);
  const spec = { writable: [work], held: [], pinned: [], hidden: [], extra: [], network: "none" } as const;
  const view = openView(spec, options);
  const workspace = createHostWorkspace({ root: work });
  const processes = createHostProcesses({
    workspace,
    view: view.launch,
    spareShell: false,
    stateFolder: join(folder, "runs"),
  });
  try {
    const begin = performance.now();
    const { id } = await processes.start("probe", { script: CHECK }, { waitMs: WAIT_MS });
    const startMs = Math.round(performance.now() - begin);
    await processes.wait(id, { timeoutMs: WAIT_MS });
    const { chunks } = await processes.read(id, 0);
    const said = Buffer.concat(chunks.map(({ bytes }) => bytes))
      .toString()
      .trim();
    const runner = guardOf(await stageNode(options.cacheFolder));
    Object.assign(details, await versionOf(options), DETAILS, { runner });
    if (said === "held") return { available: true, details, startMs };
    const reason = `Commands run in a view of this machine that does not hold: ${said || "the one that looks said nothing"}.`;
    const fix =
      "Report this with the version of bubblewrap and the kernel, and use the Docker backend meanwhile.";
    return { available: false, reason, fix, details };
  } catch (thrown) {
    const fix = HaftError.is(thrown) ? thrown.fix : undefined;
    return withoutUndefined<ViewProbe>({ available: false, reason: messageOf(thrown), fix, details });
  } finally {
    await processes.close({ graceMs: 0 });
    await view.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const DETAILS = {
  isolation: "user, mount, pid, ipc and, without the host's network, network namespaces; no capabilities",
  "system calls": "filtered",
  files: "read-only but for the folders of the session; /tmp, /var/tmp, /dev/shm and /run are private",
  sockets: "those of the host that are files are covered, as far as they are in its network namespace",
};

async function versionOf({ bwrap }: ViewOptions): Promise<Record<string, string>> {
  const program = hostProgram("bwrap", { path: bwrap });
  const { output, failure } = await runProgram(program, ["--version"], { timeout: 5000, env: {} });
  return { program: program.path, version: failure === undefined ? output.trim() : "not known" };
}
