import { HaftError, getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { hostProgram, safePath, startProgram, requireUnchangedProgram } from "@haft/system";
import { withoutUndefined, untilAborted } from "@haft/utils";
import type { PreparedView } from "@haft/workspace/internal/wire";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { containmentError } from "../errors.ts";
import { readProgramVersion } from "../programs/host-programs.ts";
import { describeNodeGuard, stageNode } from "../programs/stage-node.ts";
import { makeTemporaryFolder } from "../temporary-folder.ts";
import { openView } from "./open-view.ts";
import type { ViewOptions } from "./view-spec.ts";
import type { View } from "./view.ts";

/**
 * The result of {@link probeView}.
 *
 * @example
 * ```ts
 * import { probeView, type ViewProbe } from "@haft/sandbox/view";
 * const { available, reason, fix }: ViewProbe = await probeView();
 * if (!available) console.error(reason, fix);
 * ```
 */
export interface ViewProbe {
  /** Whether commands can be contained on this machine. */
  available: boolean;
  /** Why not, as a sentence. */
  reason?: string;
  /** What a person can do about it. */
  fix?: string;
  /** Further facts by their names: the program, its version. */
  details: Record<string, string>;
  /** Milliseconds until a command in the view had ended, without a runner. */
  startMs?: number;
}

interface ViewProbeOptions extends ViewOptions {
  signal?: AbortSignal;
  waitMs?: number;
}

/** Says `held`, or what does not hold. Its second argument is the Node that runners have. */
const CHECK = `
{ "$2" -v >/dev/null 2>&1 || { echo "its Node does not start"; exit; }; }
{ command : >>/proc/sys/kernel/core_pattern; } 2>/dev/null && { echo "kernel settings can be written"; exit; }
{ command : >/etc/.haft-probe; } 2>/dev/null && { echo "folders of the system can be written"; exit; }
grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && { echo "commands have capabilities"; exit; }
unshare -Ur true 2>/dev/null && { echo "commands can make user namespaces"; exit; }
[ "$(tail -n +3 /proc/net/dev | grep -cv '^ *lo:')" = 0 ] || { echo "there is a network"; exit; }
: >made && echo held`;
const WAIT_MS = 60_000;
/** Mounts of the host may change. */
const TRIES = 3;
const probes = new Map<string, Promise<ViewProbe>>();

/**
 * Opens a view, and runs a command in it that checks the isolation. The result is stored for this process, except failures while mounts of
 * the host change or the machine is busy. It throws only if it is cancelled.
 *
 * @param options The program and the cache folder of the view. `waitMs`: the longest wait in milliseconds (default 60,000).
 * @example
 * ```ts
 * import { probeView } from "@haft/sandbox/view";
 * const { available } = await probeView({ signal: AbortSignal.timeout(10_000) });
 * ```
 */
export function probeView(options: ViewProbeOptions = {}): Promise<ViewProbe> {
  requireKnownOptions<ViewProbeOptions>("probeView", options, {
    bwrap: true,
    cacheFolder: true,
    onStart: true,
    onOpen: true,
    signal: true,
    waitMs: true,
  });
  const { signal, waitMs = WAIT_MS, ...made } = options;
  signal?.throwIfAborted();
  const key = JSON.stringify([made.bwrap, made.cacheFolder]);
  let probe = probes.get(key);
  if (probe === undefined) {
    probe = inspect(made, waitMs, () => probes.delete(key));
    probes.set(key, probe);
  }
  return untilAborted(probe, signal);
}

async function inspect(options: ViewOptions, waitMs: number, onPassing: () => void): Promise<ViewProbe> {
  const details: Record<string, string> = {};
  let folder: string;
  try {
    folder = makeTemporaryFolder("haft-probe-");
  } catch (thrown) {
    onPassing();
    return unavailable(thrown, details);
  }
  const work = join(folder, "work");
  const run = join(folder, "run");
  for (const one of [work, run]) await mkdir(one);
  const spec = {
    writable: [work],
    readOnly: [],
    pinned: [],
    hidden: [],
    extra: [],
    network: "none",
  } as const;
  const view = openView(spec, options);
  try {
    const begin = performance.now();
    const printed = await runCheck(view, { work, run, waitMs }, onPassing);
    const startMs = Math.round(performance.now() - begin);
    const runner = describeNodeGuard(await stageNode(options.cacheFolder));
    const bwrap = hostProgram("bwrap", { path: options.bwrap });
    const version = await readProgramVersion(bwrap);
    Object.assign(details, { program: bwrap.path, version, ...DETAILS, runner });
    if (printed === "held") return { available: true, details, startMs };
    const reason = `Commands run in a view of this machine that does not isolate: ${printed || "the check printed nothing"}.`;
    const fix =
      "Report this with the versions of bubblewrap and the kernel, and use the Docker backend until then.";
    return { available: false, reason, fix, details };
  } catch (thrown) {
    return unavailable(thrown, details);
  } finally {
    await view.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function unavailable(thrown: unknown, details: ViewProbe["details"]): ViewProbe {
  const fix = HaftError.is(thrown) ? thrown.fix : undefined;
  return withoutUndefined<ViewProbe>({ available: false, reason: getErrorMessage(thrown), fix, details });
}

/** Without a runner, which would take four times as long. */
async function runCheck(
  view: View,
  { run, ...how }: { work: string; run: string; waitMs: number },
  onPassing: () => void,
): Promise<string> {
  for (let tried = 1; ; tried++) {
    const prepared = await view.launch.prepare({ folder: run, readOnly: [] });
    try {
      return await checkIn(prepared, how, onPassing);
    } catch (thrown) {
      if (!prepared.canRetry()) throw thrown;
      if (tried < TRIES) continue;
      onPassing();
      throw thrown;
    }
  }
}

async function checkIn(
  prepared: PreparedView,
  { work, waitMs }: { work: string; waitMs: number },
  onPassing: () => void,
): Promise<string> {
  const sh = hostProgram("sh");
  // Waits for the check from outside.
  const script = `read -r _; cd "$1" && ${CHECK}`;
  const inside = [requireUnchangedProgram(sh), "-c", script, "haft-probe", work, prepared.node];
  let child: ChildProcessWithoutNullStreams | undefined;
  try {
    child = startProgram(sh, ["-c", 'exec "$@"', "haft-probe", ...prepared.argv, ...inside], {
      env: { PATH: safePath() },
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe", ...prepared.files],
    }) as ChildProcessWithoutNullStreams;
  } catch (thrown) {
    prepared.onEnded();
    throw thrown;
  } finally {
    prepared.onStarted(child);
  }
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.once("close", () => resolve()).once("error", () => resolve());
  let late: HaftError | undefined;
  const tooLate = setTimeout(() => {
    const why = `the check of the view printed nothing for ${waitMs / 1000} seconds`;
    late = containmentError("SANDBOX_START_FAILED", why, "Try again when the machine is less busy.");
    onPassing();
    child.kill("SIGKILL");
  }, waitMs);
  const [output, errors] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on("data", (bytes: Buffer) => chunks.push(bytes));
    return () => Buffer.concat(chunks).toString().trim();
  }) as [() => string, () => string];
  child.stdin.on("error", () => {});
  try {
    await prepared.check();
    child.stdin.end("\n");
    await ended;
    if (late !== undefined) throw late;
    return output();
  } catch (thrown) {
    child.kill("SIGKILL");
    await ended;
    if (late !== undefined) throw late;
    throw errors() === "" ? thrown : prepared.explain(errors());
  } finally {
    clearTimeout(tooLate);
    prepared.onEnded();
  }
}

const DETAILS = {
  isolation: "user, mount, pid, ipc and, without the host's network, network namespaces; no capabilities",
  "system calls": "filtered",
  files: "read-only but for the folders of the session; /tmp, /var/tmp, /dev/shm and /run are private",
  sockets: "file sockets of the host's network namespace are masked",
};
