import { type HostProgram, requireUnchangedProgram } from "@haft/system";
import type { PreparedView, RunnerNeeds } from "@haft/workspace/internal/wire";
import { lstatSync, openSync } from "node:fs";
import { deviceNodes } from "../bubblewrap/device-nodes.ts";
import { explainFailure, isSetuid, kernelSettings } from "../bubblewrap/explain-failure.ts";
import { systemCallFilter } from "../bubblewrap/seccomp.ts";
import { containmentError } from "../errors.ts";
import { PassedFiles } from "../launch/passed-files.ts";
import { hostMountTable } from "../mounts/mount-table.ts";
import { pathToBytes } from "../mounts/raw-path.ts";
import { withCodedErrors, findBackendProgram } from "../programs/host-programs.ts";
import { getDefaultCacheFolder, stageNode } from "../programs/stage-node.ts";
import { buildArguments, VIEW_NODE_PATH } from "./bubblewrap-arguments.ts";
import { checkMountRules, indexMountTable, replacedMountError } from "./check-mount-rules.ts";
import type { MountPlan } from "./mount-plan.ts";
import { checkNamespaces, MountNamespace, type OpenView, StartInfo } from "./open-namespaces.ts";
import { planReadOnlyRemounts, mountInView, planWritableRemounts } from "./remount.ts";
import { userNamespaces } from "./user-namespaces.ts";
import type { ViewOptions, ViewPrograms } from "./view-spec.ts";

export interface StartOptions extends ViewOptions {
  needs: RunnerNeeds;
  network: "none" | "full";
  tmpMb: number | undefined;
  plan: () => { plan: MountPlan; sockets: readonly string[] };
  onOpened: (view: OpenView) => Promise<void>;
  onEnded: (namespace: MountNamespace | undefined) => void;
}

/** Throws errors of `plan`. */
export async function startView(options: StartOptions): Promise<PreparedView> {
  const { needs, network, tmpMb, cacheFolder = getDefaultCacheFolder() } = options;
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
        ...buildArguments({
          rules: plan.rules,
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
      const passed = files.addText(pathToBytes(args.map((one) => `${one}\0`).join("")));
      const [bwrap, sh] = withCodedErrors(
        () => [requireUnchangedProgram(programs.bwrap), requireUnchangedProgram(programs.sh)] as const,
      );
      // Reports that all is mounted. Bubblewrap leaves the others open.
      const marked = `echo >&${marker}; exec ${outer}<&- ${inner}<&- ${marker}>&-; exec "$@"`;
      return [bwrap, "--args", String(passed), "--", sh, "-c", marked, "haft-view"];
    } catch (thrown) {
      files.close();
      info.close();
      throw thrown;
    }
  })();
  const checkView = async (): Promise<void> => {
    if (!(await isMounted)) throw whyNotStarted("", programs.bwrap.path);
    const pid = checkNamespaces(info.pid(), network);
    namespace = new MountNamespace(pid);
    const view = { namespace, users, programs, needs };
    await mountInView(view, planWritableRemounts(plan.rules, indexMountTable(namespace.table())), true);
    const open = planReadOnlyRemounts(pid, plan.rules, indexMountTable(namespace.table()));
    if (open.length > 0) await mountInView(view, open);
    checkMountRules(pid, namespace.table(), plan.rules);
    await options.onOpened(view);
    await options.onOpen?.({ pid, userNamespace: users.outer });
  };
  return {
    argv,
    node: VIEW_NODE_PATH,
    files: files.stdio(),
    onStarted: (child) => {
      files.close();
      child?.stdio[marker]?.once("data", () => mounted(true)).once("close", () => mounted(false));
      options.onStart?.();
    },
    check: checkView,
    explain: (stderr) => {
      whyNot = stderr;
      return replacedMountError(plan.rules) ?? whyNotStarted(stderr, programs.bwrap.path);
    },
    // A path of the host vanished. Other replacements may be attacks.
    canRetry: () => {
      const [missing] = /(?<=remount "\/newroot)\/.*(?=": )/.exec(whyNot) ?? [];
      const isMissing =
        (missing !== undefined && !hostMountTable().some(({ path }) => path === missing)) ||
        sockets.some(
          (path) => whyNot.includes(path) && lstatSync(path, { throwIfNoEntry: false }) === undefined,
        );
      return isMissing && replacedMountError(plan.rules) === undefined;
    },
    onEnded: () => {
      mounted(false);
      info.close();
      namespace?.close();
      options.onEnded(namespace);
    },
  };
}

function whyNotStarted(stderr: string, bwrap: string): Error {
  if (stderr.includes(`${VIEW_NODE_PATH}: not found`))
    return containmentError(
      "SANDBOX_UNAVAILABLE",
      `${bwrap} runs programs without containment: its mounts are missing`,
      "Install the distribution's bubblewrap (apt install bubblewrap).",
    );
  const why = explainFailure({ stderr, exitCode: undefined, bwrap }, kernelSettings(), containmentError);
  if (stderr !== "" && why.code === "CONTAINMENT_UNAVAILABLE") return why;
  const output = stderr === "" ? "the runner in the view ended, or sent nothing for too long" : why.message;
  return containmentError("SANDBOX_START_FAILED", output.replace(/\.$/, ""), why.fix ?? "");
}

function noDevices(thrown: unknown): never {
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `commands of root need separate devices, and these cannot be created: ${(thrown as Error).message}`,
    "Run the host as another user, or name a cache folder on a file system that allows devices.",
    { cause: thrown },
  );
}

function viewPrograms({ bwrap: path }: ViewOptions): ViewPrograms {
  if (process.platform !== "linux") {
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      `views need Linux namespaces, and this system is ${process.platform}`,
      "Open the session in a sandbox (`haft sandbox doctor` lists the backends), or let the list of commands decide.",
    );
  }
  const bwrap = findBackendProgram("bwrap", containmentError, { path, option: 'the option "bwrap"' });
  if (bwrap === undefined) {
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      path === undefined
        ? "the program bwrap is not installed"
        : `the program ${path} (the option "bwrap") does not exist`,
      "Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap).",
    );
  }
  if (isSetuid(bwrap.path) && process.getuid!() !== 0) {
    throw containmentError(
      "SANDBOX_UNAVAILABLE",
      "bubblewrap is installed setuid root, and then does not accept user namespaces, which Haft needs to mount protected paths again",
      `Use a bubblewrap that is not setuid (chmod u-s ${bwrap.path}) on a kernel with unprivileged user namespaces.`,
    );
  }
  const [unshare, nsenter, mount, sh] = (["unshare", "nsenter", "mount", "sh"] as const).map(needed);
  return { bwrap, unshare: unshare!, nsenter: nsenter!, mount: mount!, sh: sh! };
}

function needed(name: string): HostProgram {
  const program = findBackendProgram(name, containmentError);
  if (program !== undefined) return program;
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `the program ${name} is not installed`,
    "Install the package util-linux.",
  );
}

function viewFilter(): Buffer {
  const filter = systemCallFilter();
  if (filter !== undefined) return filter;
  throw containmentError(
    "SANDBOX_UNAVAILABLE",
    `there is no filter of system calls for this machine (${process.arch}), and without it commands could make namespaces`,
    "Use a machine with x86-64 or arm64, or the Docker backend.",
  );
}
