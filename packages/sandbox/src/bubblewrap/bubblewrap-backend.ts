import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  SandboxBackend,
  SandboxConnection,
  SandboxEnd,
  SandboxProbe,
  SandboxRef,
  SandboxSpec,
} from "../backend.ts";
import { findProgram } from "../launch/find-program.ts";
import { defaultCache, stageNode } from "../launch/stage-node.ts";
import { tetheredRef } from "../launch/tethered-ref.ts";
import type { ControlGroup } from "./control-group.ts";
import { knownControlGroup, makeControlGroup } from "./control-group.ts";
import { explainFailure } from "./explain-failure.ts";
import { aborted, startFailed } from "./failures.ts";
import { deviceNodes } from "./device-nodes.ts";
import { identityFor } from "./identity.ts";
import type { Launched } from "./launch.ts";
import { launchBubblewrap } from "./launch.ts";
import { killMarked } from "./marked-processes.ts";
import { PassedFiles } from "./passed-files.ts";
import type { Opened } from "./probe.ts";
import { childOf, identityOf, isAlive } from "./process-identity.ts";
import type { Profile } from "./profile.ts";
import { profileOf } from "./profile.ts";
import type { SandboxRecord } from "./records.ts";
import { SandboxRecords } from "./records.ts";
import { checkSupported, needsFilter, notInstalled } from "./requirements.ts";
import { systemCallFilter } from "./seccomp.ts";

export interface BubblewrapOptions {
  /** The program; `bwrap` of the host's PATH by default. */
  bwrap?: string;
  /** More folders of the host that are mounted read-only where they are: `/nix/store`, `/opt/toolchain`. */
  system?: readonly string[];
  /** Where open sandboxes are written down; one in the temporary folder by default, for its user alone. */
  stateFolder?: string;
  /** Where the copy of Node for sandboxes is kept, and devices where they are needed: `/var/cache/haft` for root, else `~/.cache/haft`. */
  cacheFolder?: string;
  /** The program that serves inside, Haft's own by default: an ES module for Node that speaks over its standard streams. */
  runner?: () => Promise<{ source: string }>;
  /** Filter system calls (default). For programs that need a refused one, such as other sandboxes. */
  filter?: boolean;
}

const ID = "bubblewrap";
/** A runner that says nothing for so long, or is not gone so long after it should be, is killed. */
const START_MS = 15_000;
const END_MS = 5_000;
const GONE_MS = 5_000;

/**
 * Sandboxes by bubblewrap: namespaces of their own around a read-only system, the mounts of the specification and
 * nothing else of the host. They need Linux with unprivileged user namespaces, or root, and no daemon. They end with
 * the host, whatever ends it.
 *
 * - Commands are the owner of the workspace, without capabilities and without a way to get any.
 * - `network: "none"` leaves a loopback of its own. `"full"` shares the host's network, its services on the loopback
 *   and its abstract sockets included.
 * - Limits hold through a control group where this user may make one; {@link SandboxBackend.probe} says which do.
 *
 * Everything is lazy: nothing is looked for before it is needed.
 */
export function createBubblewrapBackend(options: BubblewrapOptions = {}): SandboxBackend {
  return new BubblewrapBackend(options);
}

class BubblewrapBackend implements SandboxBackend {
  readonly id = ID;
  readonly #options: BubblewrapOptions;
  readonly #records: SandboxRecords;

  constructor(options: BubblewrapOptions) {
    this.#options = options;
    this.#records = new SandboxRecords(options.stateFolder);
  }

  async probe(signal?: AbortSignal): Promise<SandboxProbe> {
    const { probeBubblewrap } = await import("./probe.ts");
    const open = (spec: SandboxSpec): Promise<Opened> => this.#open(spec, signal);
    return probeBubblewrap({ bwrap: findProgram(this.#options.bwrap ?? "bwrap"), open }, signal);
  }

  async open(spec: SandboxSpec, signal?: AbortSignal): Promise<SandboxConnection> {
    return (await this.#open(spec, signal)).connection;
  }

  async #open(spec: SandboxSpec, signal?: AbortSignal): Promise<Opened> {
    if (signal?.aborted === true) throw aborted();
    const bwrap = findProgram(this.#options.bwrap ?? "bwrap");
    if (bwrap === undefined) throw notInstalled();
    checkSupported(spec);
    const identity = identityFor(spec);
    const filter = this.#options.filter === false ? undefined : systemCallFilter();
    if (filter === undefined && identity.root) throw needsFilter();
    const { cacheFolder = defaultCache(), runner = haftRunner } = this.#options;
    const [node, program, devices] = await Promise.all([
      stageNode(cacheFolder),
      runner(),
      identity.root ? deviceNodes(cacheFolder) : undefined,
    ]);
    this.#records.open();
    await this.#forget();
    const id = randomBytes(4).toString("hex");
    const ref = tetheredRef(ID, id, spec);
    const files = new PassedFiles(this.#records.folder);
    let group: ControlGroup | undefined;
    let launched: Launched;
    let profile: Profile;
    try {
      const { system = [] } = this.#options;
      group = makeControlGroup(id, spec.limits);
      this.#records.put({ ref, processes: [], groups: group.folders, host: identityOf(process.pid) });
      // Before the profile, so that their numbers are small.
      const entries = group.entries().map((fd) => files.addFile(fd));
      profile = profileOf({
        spec,
        identity,
        node: node.path,
        program: program.source,
        filter,
        devices,
        system,
        files,
      });
      const { argv } = profile;
      const { limits, setup } = spec;
      launched = launchBubblewrap({ id, bwrap, argv, identity, limits, group, entries, files, setup });
    } catch (thrown) {
      files.close();
      await group?.remove();
      this.#records.remove(id);
      throw thrown;
    }
    try {
      await this.#speaks(id, launched, group, bwrap, signal);
    } catch (thrown) {
      this.#records.remove(id);
      throw thrown;
    }
    const processes = [identityOf(launched.pid), childOf(launched.pid)].filter((one) => one !== undefined);
    const record = { ref, processes, groups: group.folders };
    this.#records.put(record);
    return {
      connection: this.#connect(spec, profile, record, launched, group),
      holds: group.occupied() ? group.holds : new Set(),
      filtered: filter !== undefined,
      guarded: node.guarded,
    };
  }

  async list(): Promise<SandboxRef[]> {
    await this.#forget();
    return this.#records.read().living.flatMap(({ ref, host }) => (host === undefined ? [ref] : []));
  }

  async destroy({ id }: SandboxRef): Promise<boolean> {
    const record = this.#records.read().living.find(({ ref }) => ref.id === id);
    if (record === undefined) return false;
    await killMarked(id);
    await this.#cleared(record);
    return true;
  }

  /** @throws HaftError when it never says anything. */
  async #speaks(
    id: string,
    launched: Launched,
    group: ControlGroup,
    bwrap: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const { stream, exit } = launched;
    let tooLate = false;
    const timer = setTimeout(() => {
      tooLate = true;
      void killMarked(id);
    }, START_MS);
    const stop = (): void => void killMarked(id);
    signal?.addEventListener("abort", stop);
    const spoken = await stream.spoken;
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    if (spoken && signal?.aborted !== true) return;
    stream.destroy();
    await killMarked(id);
    const { code } = await exit;
    const oom = group.ranOutOfMemory();
    await group.remove();
    if (signal?.aborted === true) throw aborted();
    if (tooLate) {
      throw startFailed(
        `its runner said nothing for ${START_MS / 1000} seconds`,
        "Try again when the machine is less busy.",
      );
    }
    if (oom) throw startFailed("its memory does not suffice for the runner", "Allow at least 128 MiB.");
    throw explainFailure({ complaint: launched.complaint(), exitCode: code, bwrap });
  }

  #connect(
    spec: SandboxSpec,
    { mounts }: Profile,
    record: Omit<SandboxRecord, "boot">,
    launched: Launched,
    group: ControlGroup,
  ): SandboxConnection {
    const { stream } = launched;
    let closing = false;
    const end = async (): Promise<SandboxEnd> => {
      const { code, signal } = await launched.exit;
      stream.destroy();
      const oom = !closing && group.ranOutOfMemory() && (code === 137 || signal === "SIGKILL");
      await this.#cleared({ ...record, boot: "" });
      const exitCode = code === undefined ? {} : { exitCode: code };
      if (closing) return { why: "it was closed", ...exitCode };
      if (oom) return { why: `it used more than ${spec.limits.memoryMb} MiB of memory`, oom, ...exitCode };
      const said = launched.complaint().trim().split("\n").at(-1);
      const how = signal === undefined ? `ended with exit code ${code}` : `was ended by ${signal}`;
      return { why: `its runner ${how}${said ? `: ${said}` : ""}`, ...exitCode };
    };
    const ended = end();
    return {
      stream,
      ref: record.ref,
      mounts,
      facts: { mount: spec.workspace, network: spec.network === "full" ? "full" : "none" },
      ended,
      close: async () => {
        closing = true;
        stream.end();
        stream.resume();
        const force = setTimeout(() => void killMarked(record.ref.id), END_MS);
        await ended;
        clearTimeout(force);
      },
    };
  }

  /** Waits until nothing is left, and forgets it. */
  async #cleared({ ref, processes, groups }: SandboxRecord): Promise<void> {
    const deadline = performance.now() + GONE_MS;
    while (processes.some(isAlive) && performance.now() < deadline) await sleep(5);
    if (processes.some(isAlive)) await killMarked(ref.id);
    await knownControlGroup(groups).remove();
    this.#records.remove(ref.id);
  }

  /** Control groups are all that a host that was killed leaves behind. */
  async #forget(): Promise<void> {
    for (const record of this.#records.read().dead) {
      // One that was starting when its host was killed.
      if (record.host !== undefined) await killMarked(record.ref.id);
      await this.#cleared(record);
    }
  }
}

async function haftRunner(): Promise<{ source: string }> {
  const { runnerProgram } = await import("@haft/workspace/runner");
  return runnerProgram();
}
