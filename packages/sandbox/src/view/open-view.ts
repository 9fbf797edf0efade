import { addSessionRoot, attempt, isWithin, readTreeUsage } from "@haft/system";
import type { RunnerNeeds, RunnerView } from "@haft/workspace/internal/wire";
import { readdirSync, readFileSync } from "node:fs";
import type { SandboxUsage } from "../backend.ts";
import { DEFAULT_TMP_MB } from "../defaults.ts";
import { containmentBrokenError } from "../errors.ts";
import {
  type HostSocket,
  getHostSocket,
  findHostSockets,
  isListening,
} from "../host-sockets/find-host-sockets.ts";
import { HostSockets } from "../host-sockets/host-sockets.ts";
import { readTmpUsage } from "../isolation/control-group.ts";
import { Mutex } from "../launch/mutex.ts";
import { CLOSED_FILE } from "./bubblewrap-arguments.ts";
import { isMountRuleApplied, indexMountTable } from "./check-mount-rules.ts";
import {
  checkWritableFolder,
  readMountIdentity,
  isHiddenInView,
  matchesSnapshot,
  resolveEntryPath,
  type MountPlan,
  createMountPlan,
  resolveMountPath,
  type FileSnapshot,
  takeFileSnapshot,
  type MountRule,
} from "./mount-plan.ts";
import { MountRuleWatcher } from "./mount-plan.ts";
import type { OpenView } from "./open-namespaces.ts";
import { mountInView, planWritableRemounts, type Remount, toRemount } from "./remount.ts";
import { startView } from "./start-view.ts";
import type { ViewOptions, ViewSpec } from "./view-spec.ts";
import type { View, ViewDescription } from "./view.ts";

/** Then a path that is replaced again and again stays missing, and nothing runs. */
const TRIES = 3;

/** Checks folders. @throws HaftError `CONTAINMENT_UNAVAILABLE` for a folder that must not be writable */
export function openView(spec: ViewSpec, options: ViewOptions = {}): View {
  return new HostView(spec, options);
}

class HostView implements View {
  readonly #spec: ViewSpec;
  readonly #roots: readonly { path: string; identity: string | undefined }[];
  readonly #sockets = new HostSockets();
  readonly #watcher = new MountRuleWatcher(() => void this.#takeTurn().catch(() => {}));
  readonly #held: Set<string>;
  readonly #hidden: Set<string>;
  readonly #pinned: Set<string>;
  #unsearched: Set<string>;
  #folderSockets: readonly HostSocket[] = [];
  #unscanned: readonly string[] = [];
  #scanning: Promise<void> | undefined;
  #open: OpenView | undefined;
  readonly #turns = new Mutex();
  #closed = false;
  #whole: (FileSnapshot & { sockets: number }) | undefined;
  #decisive: readonly string[] = [];
  readonly #mended = new Set<string>();
  readonly launch: RunnerView;

  constructor(spec: ViewSpec, options: ViewOptions) {
    this.#spec = spec;
    this.#held = new Set(spec.readOnly);
    this.#hidden = new Set(spec.hidden);
    this.#pinned = new Set(spec.pinned);
    this.#unsearched = new Set(spec.unsearched);
    spec.writable.forEach(checkWritableFolder);
    spec.writable.forEach(addSessionRoot);
    this.#roots = spec.writable.map((path) => ({ path, identity: readMountIdentity(path) }));
    const { network, tmpMb } = spec;
    this.launch = {
      environment: { TMPDIR: "/tmp" },
      prepare: async (needs) => {
        await this.scanSockets();
        return startView({
          ...options,
          needs,
          network,
          tmpMb,
          plan: () => {
            this.#checkRoots();
            const plan = this.#plan(needs);
            // Bubblewrap would create a mount point for a removed socket.
            const inOpen = openOf(plan);
            const sockets = this.#seenSockets(plan).filter(
              (path) => !inOpen.some((one) => isWithin(path, one)),
            );
            return { plan, sockets };
          },
          onOpened: async (view) => {
            this.#open = view;
            this.#whole = undefined;
            await this.#takeTurn();
            this.#mended.clear();
          },
          onEnded: (namespace) => {
            if (this.#open?.namespace !== namespace) return;
            this.#open = undefined;
            this.#watcher.close();
          },
        });
      },
    };
  }

  async protect(paths: readonly string[], pinned: readonly string[] = []): Promise<void> {
    for (const path of paths) this.#held.add(path);
    for (const path of pinned) this.#pinned.add(path);
    this.#whole = undefined;
    await this.#takeTurn();
  }

  async restrict(folders: readonly string[]): Promise<void> {
    for (const path of folders) this.#unsearched.add(path);
    this.#whole = undefined;
    await this.#takeTurn();
  }

  release(): Promise<void> {
    return this.#turns.runExclusive(async () => {
      if (this.#unsearched.size === 0) return;
      const searched = this.#unsearched;
      // Unmounting would expose protected paths below.
      for (const path of searched) this.#pinned.add(path);
      this.#unsearched = new Set();
      this.#whole = undefined;
      const view = this.#open;
      if (view === undefined) return;
      const mounts = planWritableRemounts(
        this.#plan(view.needs).rules,
        indexMountTable(view.namespace.table()),
      );
      await mountInView(
        view,
        mounts.filter(({ path }) => searched.has(path)),
      );
      await this.#putUp();
    });
  }

  async hide(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#hidden.add(path);
    this.#whole = undefined;
    await this.#takeTurn();
  }

  async repair(): Promise<string[]> {
    await this.#takeTurn();
    const mended = [...this.#mended];
    this.#mended.clear();
    return mended;
  }

  scanSockets(): Promise<void> {
    this.#scanning ??= this.#findSockets();
    return this.#scanning;
  }

  hasRunningProcesses(): boolean {
    const namespace = this.#open?.namespace;
    return namespace?.exists() === true && hasLeftRunning(namespace.pid);
  }

  pid(): number | undefined {
    const namespace = this.#open?.namespace;
    return namespace?.exists() === true ? namespace.pid : undefined;
  }

  usage(): { use: SandboxUsage; tmpMb: number } | undefined {
    const namespace = this.#open?.namespace;
    if (namespace?.exists() !== true) return undefined;
    const { tmpMb = DEFAULT_TMP_MB } = this.#spec;
    return { use: { ...readTreeUsage(namespace.pid), ...readTmpUsage(namespace.pid, tmpMb) }, tmpMb };
  }

  describe(): ViewDescription {
    const plan = this.#plan(undefined);
    const { network } = this.#spec;
    const rules = plan.rules.flatMap(({ path, kind, from }) =>
      kind === "frame" ? [] : [{ path, kind, ...(from !== undefined && { from }) }],
    );
    const sockets = this.#seenSockets(plan);
    const abstract = network === "full" ? this.#sockets.abstract() : [];
    const [notHeld, unscannedFolders, open] = [plan.unprotected, this.#unscanned, this.#open !== undefined];
    return { rules, unprotected: notHeld, sockets, unscanned: unscannedFolders, abstract, network, open };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watcher.close();
    await this.#turns.runExclusive(async () => void (this.#open = undefined));
  }

  /** Concurrent runs would mount twice. */
  #takeTurn(): Promise<void> {
    return this.#turns.runExclusive(() => this.#putUp());
  }

  async #putUp(): Promise<void> {
    if (this.#isUnchanged()) return;
    this.#checkRoots();
    for (let tries = 0; ; tries++) {
      const view = this.#open;
      const missing = view === undefined ? [] : this.#missing(view);
      if (view === undefined || missing.length === 0) return;
      if (tries === TRIES) {
        const [{ path, kind }] = missing as [Remount];
        throw containmentBrokenError(`${path} could not be mounted again (${kind})`, { details: { path } });
      }
      try {
        await mountInView(view, missing);
      } catch (thrown) {
        if (!view.namespace.exists()) return;
        throw thrown;
      }
      for (const { path } of missing) this.#mended.add(path);
    }
  }

  /** A mount only comes off if its file is replaced, which changes its state. */
  #isUnchanged(): boolean {
    if (this.#open === undefined || this.#whole === undefined) return false;
    const isThere = this.#roots.every(({ path }) => resolveMountPath(path) === path);
    return isThere && this.#sockets.version() === this.#whole.sockets && matchesSnapshot(this.#whole);
  }

  #missing(view: OpenView): Remount[] {
    const { pid } = view.namespace;
    const now = { sockets: this.#sockets.version(), ...takeFileSnapshot(this.#decisive) };
    const table = view.namespace.table();
    if (table === undefined) return [];
    const mounted = indexMountTable(table);
    const plan = this.#plan(view.needs);
    if (!this.#closed) this.#follow(plan);
    const toMount = plan.rules.filter((rule) => isOfHost(rule) && !isMountRuleApplied(pid, rule, mounted));
    const sockets = this.#seenSockets(plan, pid).filter((path) => !mounted.has(path));
    if (toMount.length + sockets.length === 0) {
      this.#decisive = this.#decisiveIn(plan);
      // Paths without a snapshot count from the next check.
      this.#whole = this.#decisive.join("\0") === now.paths.join("\0") ? now : undefined;
    }
    return [
      ...toMount.map((rule) => toRemount(rule, plan.rules)),
      ...sockets.map((path) => ({ path, kind: "hidden" as const, source: CLOSED_FILE })),
    ];
  }

  #decisiveIn(plan: MountPlan): string[] {
    const open = openOf(plan);
    const inOpen = (path: string): boolean => open.some((root) => isWithin(path, root));
    const inView = (path: string, isThere: (resolved: string) => boolean): boolean =>
      [path, ...resolveEntryPath(path)].some(isThere);
    return [
      ...new Set([
        ...plan.rules.filter(isOfHost).map(({ path }) => path),
        ...[...this.#held, ...this.#pinned].filter((path) => inView(path, inOpen)),
        ...[...this.#hidden].filter((path) => inView(path, (resolved) => !isHiddenInView(resolved, open))),
        ...this.#folderSockets.map(({ path }) => path),
        ...this.#spec.writable,
      ]),
    ];
  }

  #plan(needs: RunnerNeeds | undefined): MountPlan {
    const { writable } = this.#spec;
    return createMountPlan({
      ...this.#spec,
      writable: needs === undefined ? writable : [...writable, needs.folder],
      readOnly: [...this.#held],
      pinned: [...this.#pinned],
      unsearched: [...this.#unsearched],
      hidden: [...this.#hidden],
      required: needs?.readOnly ?? [],
    });
  }

  #seenSockets(plan: MountPlan, pid?: number): string[] {
    // Private folders also contain read-only mounts.
    const shown = plan.rules.flatMap(({ kind, path }) =>
      kind === "hidden" || kind === "frame" ? [] : [path],
    );
    const hidden = plan.rules.flatMap(({ kind, path }) => (kind === "hidden" ? [path] : []));
    const isSeen = (path: string): boolean =>
      !isHiddenInView(path, shown) && !hidden.some((one) => isWithin(path, one));
    const listed = this.#sockets.paths(this.#spec.network === "full" ? pid : undefined);
    // Commands cannot remove masked paths.
    const others = this.#folderSockets.filter(({ path, kind }) => getHostSocket(path)?.kind === kind);
    return [...new Set([...listed, ...others.map(({ path }) => path)])].filter(isSeen);
  }

  async #findSockets(): Promise<void> {
    const { socketFolders = [] } = this.#spec;
    const listed = new Set(socketFolders.length === 0 ? [] : this.#sockets.paths());
    const { sockets: found, unscanned } = findHostSockets(socketFolders);
    const leads = await Promise.all(
      found.map(async ({ path, kind }) => kind === "FIFO" || (!listed.has(path) && isListening(path))),
    );
    this.#folderSockets = found.filter((_, at) => leads[at]);
    this.#unscanned = unscanned;
  }

  #follow(plan: MountPlan): void {
    const inOpen = plan.rules.filter(({ kind }) => kind === "held" || kind === "hidden" || kind === "pinned");
    const requested = [...this.#held, ...this.#hidden].filter((path) =>
      openOf(plan).some((one) => isWithin(path, one)),
    );
    this.#watcher.follow([...new Set([...inOpen.map(({ path }) => path), ...requested])]);
  }

  #checkRoots(): void {
    for (const { path, identity } of this.#roots) {
      const now = readMountIdentity(path);
      if (identity !== undefined && now === identity && resolveMountPath(path) === path) continue;
      const is = now === undefined ? "is not there" : "is another folder now, or not a real path";
      throw containmentBrokenError(`${path}, where commands write, ${is}`, { details: { path } });
    }
  }
}

/** True for a path that commands cannot change, at its usual place. */
function isOfHost({ kind, from }: MountRule): boolean {
  return kind !== "open" && kind !== "frame" && (from === undefined || kind === "hidden");
}

function openOf({ rules }: MountPlan): string[] {
  return rules.flatMap(({ kind, path }) => (kind === "open" ? [path] : []));
}

/** Its children are commands and pooled shells. */
const RUNNER = 2;

/** Ignores processes that a command waits for. */
function hasLeftRunning(pid: number): boolean {
  const processes = `/proc/${pid}/root/proc`;
  const names = attempt(() => readdirSync(processes)) ?? [];
  return names.some((name) => {
    if (!/^\d+$/.test(name) || Number(name) <= RUNNER) return false;
    const stat = attempt(() => readFileSync(`${processes}/${name}/stat`, "latin1"));
    // The name may contain anything.
    const [, state, parent] = /\) (\S) (\d+) [^)]*$/s.exec(stat ?? "") ?? [];
    return parent !== undefined && state !== "Z" && Number(parent) !== RUNNER;
  });
}
