import { unchanged } from "@haft/workspace/internal/system";
import type { PreparedView, RunnerNeeds } from "@haft/workspace/internal/wire";
import { lstatSync, openSync } from "node:fs";
import { deviceNodes } from "../bubblewrap/device-nodes.ts";
import { explainFailure, kernelSettings } from "../bubblewrap/explain-failure.ts";
import { containmentError } from "../errors.ts";
import { PassedFiles } from "../launch/passed-files.ts";
import { hostMountTable } from "../mounts/mount-table.ts";
import { bytesOfPath } from "../mounts/raw-path.ts";
import { coded } from "../programs/host-programs.ts";
import { defaultCache, stageNode } from "../programs/stage-node.ts";
import { argumentsOf, NODE } from "./arguments.ts";
import { checkWalls, mountedIn, replacedOf } from "./check-walls.ts";
import type { OpenView } from "./open-namespaces.ts";
import { checkNamespaces, MountNamespace, StartInfo } from "./open-namespaces.ts";
import { viewFilter, viewPrograms } from "./programs.ts";
import { closing, mountIn, opening } from "./remount.ts";
import { userNamespaces } from "./user-namespaces.ts";
import type { ViewOptions } from "./view-spec.ts";
import type { Plan } from "./walls.ts";

export interface StartOptions extends ViewOptions {
  needs: RunnerNeeds;
  network: "none" | "full";
  tmpMb: number | undefined;
  plan: () => { plan: Plan; sockets: readonly string[] };
  opened: (view: OpenView) => Promise<void>;
  ended: (namespace: MountNamespace | undefined) => void;
}

/**
 * Makes ready one start of a runner in a view.
 *
 * @throws HaftError `CONTAINMENT_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`; what `plan` throws
 */
export async function startView(options: StartOptions): Promise<PreparedView> {
  const { needs, network, tmpMb, cacheFolder = defaultCache() } = options;
  const programs = viewPrograms(options);
  const filter = viewFilter();
  const [users, node, devices] = await Promise.all([
    userNamespaces(programs),
    stageNode(cacheFolder),
    process.getuid!() === 0 ? deviceNodes(cacheFolder).catch(noDevices) : undefined,
  ]);
  let whyNot = "";
  const { plan, sockets } = options.plan();
  const files = new PassedFiles(needs.folder);
  const info = new StartInfo(needs.folder);
  let namespace: MountNamespace | undefined;
  const { promise: isMounted, resolve: mounted } = Promise.withResolvers<boolean>();
  let marker = 0;
  const argv = ((): string[] => {
    try {
      const [outer, inner] = [users.outer, users.inner].map((fd) =>
        files.addFile(openSync(`/proc/self/fd/${fd}`, "r")),
      );
      const infoFile = info.passTo(files);
      marker = files.addPipe();
      const args = [
        "--userns",
        String(outer),
        "--userns2",
        String(inner),
        "--info-fd",
        String(infoFile),
        ...argumentsOf({
          walls: plan.walls,
          folder: needs.folder,
          sockets,
          network,
          tmpMb,
          filter,
          devices,
          node: node.path,
          files,
        }),
      ];
      const passed = files.addText(bytesOfPath(args.map((one) => `${one}\0`).join("")));
      const [bwrap, sh] = coded(() => [unchanged(programs.bwrap), unchanged(programs.sh)] as const);
      // Says that all is mounted. Bubblewrap leaves the other two open.
      const marked = `echo >&${marker}; exec ${outer}<&- ${inner}<&- ${marker}>&-; exec "$@"`;
      return [bwrap, "--args", String(passed), "--", sh, "-c", marked, "haft-view"];
    } catch (thrown) {
      files.close();
      info.close();
      throw thrown;
    }
  })();
  const look = async (): Promise<void> => {
    if (!(await isMounted)) throw whyNotStarted("", programs.bwrap.path);
    const pid = checkNamespaces(info.pid(), network);
    namespace = new MountNamespace(pid);
    const view = { namespace, users, programs, needs };
    await mountIn(view, opening(plan.walls, mountedIn(namespace.table())), true);
    const open = closing(pid, plan.walls, mountedIn(namespace.table()));
    if (open.length > 0) await mountIn(view, open);
    checkWalls(pid, namespace.table(), plan.walls);
    await options.opened(view);
    await options.onOpen?.({ pid, userNamespace: users.outer });
  };
  return {
    argv,
    node: NODE,
    files: files.stdio(),
    started: (child) => {
      files.close();
      child?.stdio[marker]?.once("data", () => mounted(true)).once("close", () => mounted(false));
      options.onStart?.();
    },
    check: look,
    explain: (stderr) => {
      whyNot = stderr;
      return replacedOf(plan.walls) ?? whyNotStarted(stderr, programs.bwrap.path);
    },
    // A mount or a socket of the host was gone when bubblewrap came to it. Where anything else was replaced, somebody may want just that.
    mayComeUpNow: () => {
      const [gone] = /(?<=remount "\/newroot)\/.*(?=": )/.exec(whyNot) ?? [];
      const isGone =
        (gone !== undefined && !hostMountTable().some(({ path }) => path === gone)) ||
        sockets.some(
          (path) => whyNot.includes(path) && lstatSync(path, { throwIfNoEntry: false }) === undefined,
        );
      return isGone && replacedOf(plan.walls) === undefined;
    },
    ended: () => {
      mounted(false);
      info.close();
      namespace?.close();
      options.ended(namespace);
    },
  };
}

function whyNotStarted(stderr: string, bwrap: string): Error {
  if (stderr.includes(`${NODE}: not found`))
    return containmentError(
      "SANDBOX_UNAVAILABLE",
      `${bwrap} runs programs, and contains nothing: what it was to mount is not there`,
      "Install bubblewrap as its distribution has it (apt install bubblewrap).",
    );
  const why = explainFailure({ stderr, exitCode: undefined, bwrap }, kernelSettings(), containmentError);
  if (stderr !== "" && why.code === "CONTAINMENT_UNAVAILABLE") return why;
  const said =
    stderr === "" ? "what starts commands in the view ended, or said nothing for too long" : why.message;
  return containmentError("SANDBOX_START_FAILED", said.replace(/\.$/, ""), why.fix ?? "");
}

function noDevices(thrown: unknown): never {
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `commands of root need devices that are not the host's, and they cannot be made: ${(thrown as Error).message}`,
    "Run the host as another user, or name a cache folder on a file system that may hold devices.",
    { cause: thrown },
  );
}
