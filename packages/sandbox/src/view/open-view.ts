import { addSessionRoot } from "@haft/workspace/internal/system";
import type { RunnerView } from "@haft/workspace/internal/wire";
import { realpathSync } from "node:fs";
import { containmentBroken } from "../errors.ts";
import { mountedIn, holds } from "./check-walls.ts";
import type { Remount } from "./remount.ts";
import { lockedFlags, mountIn } from "./remount.ts";
import { HostSockets } from "./sockets.ts";
import type { OpenView } from "./start-view.ts";
import { startView } from "./start-view.ts";
import type { ViewOptions, ViewSpec } from "./view-spec.ts";
import type { NotHeld, Plan, Wall } from "./walls.ts";
import { identityOf, isGone, planWalls } from "./walls.ts";

/** A view of the host that the commands of one session run in. Nothing is started before the first of them. */
export interface View {
  /** For `createHostProcesses({ view })`: starts the runner in it. */
  readonly launch: RunnerView;
  /**
   * From now on these stay as they are, for what already runs, too. What is not there is held once it is.
   *
   * @throws HaftError `CONTAINMENT_BROKEN`
   */
  hold(paths: readonly string[]): Promise<void>;
  /** From now on these are not there. @throws HaftError `CONTAINMENT_BROKEN` */
  hide(paths: readonly string[]): Promise<void>;
  /**
   * Looks whether walls came off, as they do when the host puts another file in the place of one, and puts them up again.
   * To be called before each command; answers the paths.
   *
   * @throws HaftError `CONTAINMENT_BROKEN` when a folder of the session is another one, or a wall stays away
   */
  mend(): Promise<string[]>;
  /** The walls one by one, as they would be or are. */
  describe(): ViewDescription;
  /** Nothing is put up any more. What runs in it ends with the runner. */
  close(): Promise<void>;
}

/** For people. */
export interface ViewDescription {
  walls: readonly Pick<Wall, "path" | "kind" | "from">[];
  /** What mounts cannot hold, and why. */
  notHeld: readonly NotHeld[];
  /** Sockets of the host that are covered. */
  sockets: readonly string[];
  network: "none" | "full";
  open: boolean;
}

const TRIES = 3;

/** Describes a view, and looks which folders it is about; nothing is started. */
export function openView(spec: ViewSpec, options: ViewOptions = {}): View {
  return new HostView(spec, options);
}

class HostView implements View {
  readonly #spec: ViewSpec;
  readonly #roots: readonly { path: string; identity: string | undefined }[];
  readonly #sockets = new HostSockets();
  readonly #held: Set<string>;
  readonly #hidden: Set<string>;
  #open: OpenView | undefined;
  #last: Promise<unknown> = Promise.resolve();
  readonly launch: RunnerView;

  constructor(spec: ViewSpec, options: ViewOptions) {
    this.#spec = spec;
    this.#held = new Set(spec.held);
    this.#hidden = new Set(spec.hidden);
    for (const path of spec.writable) addSessionRoot(path);
    this.#roots = spec.writable.map((path) => ({ path, identity: identityOf(path) }));
    const { network, tmpMb } = spec;
    this.launch = {
      environment: { TMPDIR: "/tmp" },
      prepare: (needs) =>
        startView({
          ...options,
          needs,
          network,
          tmpMb,
          plan: () => {
            this.#checkRoots();
            const plan = this.#plan();
            return { plan, sockets: this.#seenSockets(plan) };
          },
          opened: async (view) => {
            this.#open = view;
            await this.mend();
          },
          ended: () => (this.#open = undefined),
        }),
    };
  }

  async hold(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#held.add(path);
    await this.mend();
  }

  async hide(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#hidden.add(path);
    await this.mend();
  }

  /** One after the other: two at once would mount twice. */
  mend(): Promise<string[]> {
    const mending = this.#last.then(() => this.#mend());
    this.#last = mending.catch(() => {});
    return mending;
  }

  describe(): ViewDescription {
    const plan = this.#plan();
    const { network } = this.#spec;
    const sockets = this.#seenSockets(plan);
    const walls = plan.walls.map(({ path, kind, from }) => ({
      path,
      kind,
      ...(from !== undefined && { from }),
    }));
    return { walls, notHeld: plan.notHeld, sockets, network, open: this.#open !== undefined };
  }

  async close(): Promise<void> {
    await this.#last;
    this.#open = undefined;
  }

  async #mend(): Promise<string[]> {
    const view = this.#open;
    this.#checkRoots();
    if (view === undefined) return [];
    const mended = new Set<string>();
    for (let tries = 0; tries < TRIES; tries++) {
      const missing = this.#missing(view);
      if (missing.length === 0) return [...mended];
      await mountIn(view, missing);
      for (const { path } of missing) mended.add(path);
      if (this.#open !== view) return [...mended];
    }
    const [left] = this.#missing(view);
    if (left === undefined) return [...mended];
    throw containmentBroken(`${left.path} could not be ${left.kind} again`, { details: { path: left.path } });
  }

  #missing(view: OpenView): Remount[] {
    const table = view.namespace.table();
    // It ends at this moment, or has.
    if (table === undefined) return [];
    const mounted = mountedIn(table);
    const plan = this.#plan();
    const walls = plan.walls
      .filter((wall) => wall.kind !== "open" && wall.from === undefined)
      .filter((wall) => !holds(view.namespace.pid, wall, mounted));
    const sockets = this.#seenSockets(plan).filter((path) => !mounted.has(path));
    return [
      ...walls.map((wall) => ({ ...wall, flags: lockedFlags(wall.path, mounted.values()) })),
      ...sockets.map((path) => ({ path, kind: "hidden" as const, folder: false, flags: [] })),
    ];
  }

  #plan(): Plan {
    return planWalls({ ...this.#spec, held: [...this.#held], hidden: [...this.#hidden] });
  }

  #seenSockets({ walls }: Plan): string[] {
    const open = walls.filter(({ kind }) => kind === "open").map(({ path }) => path);
    const hidden = walls.filter(({ kind }) => kind === "hidden").map(({ path }) => path);
    return this.#sockets
      .paths()
      .filter((path) => !isGone(path, open) && !hidden.some((one) => path.startsWith(`${one}/`)));
  }

  /** @throws HaftError `CONTAINMENT_BROKEN` */
  #checkRoots(): void {
    for (const { path, identity } of this.#roots) {
      const now = identityOf(path);
      if (identity === undefined || now !== identity || realOf(path) !== path) {
        const what =
          now === undefined
            ? "is not there"
            : identity === undefined
              ? "was not there before"
              : "is another folder now";
        throw containmentBroken(`${path}, where commands write, ${what}`, { details: { path } });
      }
    }
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
