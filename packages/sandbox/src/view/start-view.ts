import { unchanged } from "@haft/workspace/internal/system";
import type { PreparedView, RunnerNeeds } from "@haft/workspace/internal/wire";
import { openSync } from "node:fs";
import { deviceNodes } from "../bubblewrap/device-nodes.ts";
import { explainFailure, kernelSettings } from "../bubblewrap/explain-failure.ts";
import { containmentError } from "../errors.ts";
import { PassedFiles } from "../launch/passed-files.ts";
import { coded } from "../programs/host-programs.ts";
import { defaultCache } from "../programs/stage-node.ts";
import { argumentsOf } from "./arguments.ts";
import { checkWalls } from "./check-walls.ts";
import { checkNamespaces, MountNamespace, StartInfo } from "./open-namespaces.ts";
import { viewFilter, viewPrograms } from "./programs.ts";
import type { UserNamespaces } from "./user-namespaces.ts";
import { userNamespaces } from "./user-namespaces.ts";
import type { ViewOptions, ViewPrograms } from "./view-spec.ts";
import type { Plan } from "./walls.ts";

/** One view that is open: its processes and what is mounted for them. */
export interface OpenView {
  namespace: MountNamespace;
  users: UserNamespaces;
  programs: ViewPrograms;
  needs: RunnerNeeds;
}

export interface StartOptions extends ViewOptions {
  needs: RunnerNeeds;
  network: "none" | "full";
  tmpMb: number | undefined;
  /** What is to be mounted, looked at as late as can be. */
  plan: () => { plan: Plan; sockets: readonly string[] };
  /** It is open, and nothing runs in it. */
  opened: (view: OpenView, plan: Plan) => Promise<void>;
  ended: () => void;
}

/**
 * Makes ready one start of a runner in a view.
 *
 * @throws HaftError `CONTAINMENT_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`; what `plan` throws
 */
export async function startView(options: StartOptions): Promise<PreparedView> {
  const { needs, network, tmpMb } = options;
  const programs = viewPrograms(options);
  const filter = viewFilter();
  const [users, devices] = await Promise.all([
    userNamespaces(programs),
    process.getuid!() === 0 ? deviceNodes(options.cacheFolder ?? defaultCache()).catch(noDevices) : undefined,
  ]);
  const { plan, sockets } = options.plan();
  const files = new PassedFiles(needs.folder);
  const info = new StartInfo(needs.folder);
  let namespace: MountNamespace | undefined;
  const argv = ((): string[] => {
    try {
      const [outer, inner] = [users.outer, users.inner].map((fd) =>
        files.addFile(openSync(`/proc/self/fd/${fd}`, "r")),
      );
      const args = [
        "--userns",
        String(outer),
        "--userns2",
        String(inner),
        "--info-fd",
        String(info.passTo(files)),
        ...argumentsOf({ walls: plan.walls, sockets, network, tmpMb, needs, filter, devices, files }),
      ];
      const passed = files.addText(args.map((one) => `${one}\0`).join(""));
      return [coded(() => unchanged(programs.bwrap)), "--args", String(passed), "--"];
    } catch (thrown) {
      files.close();
      info.close();
      throw thrown;
    }
  })();
  return {
    argv,
    files: files.stdio(),
    started: () => files.close(),
    check: async () => {
      const pid = checkNamespaces(info.pid(), network);
      namespace = new MountNamespace(pid);
      checkWalls(pid, namespace.table(), plan.walls, [needs.folder]);
      await options.onOpen?.({ pid, userNamespace: users.outer });
      await options.opened({ namespace, users, programs, needs }, plan);
    },
    explain: (said) =>
      explainFailure(
        { stderr: said, exitCode: undefined, bwrap: programs.bwrap.path },
        kernelSettings(),
        containmentError,
      ),
    ended: () => {
      info.close();
      namespace?.close();
      options.ended();
    },
  };
}

function noDevices(thrown: unknown): never {
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `commands of root need devices that are not the host's, and they cannot be made: ${(thrown as Error).message}`,
    "Run the host as another user, or name a cache folder on a file system that may hold devices.",
    { cause: thrown },
  );
}
