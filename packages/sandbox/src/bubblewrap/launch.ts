import { type HostProgram, startProgram, requireUnchangedProgram } from "@haft/system";
import { RUNNER_FLAGS } from "@haft/workspace/internal/wire";
import type { SandboxLimits } from "../backend.ts";
import { type SandboxControlGroup, buildLimitedStartScript } from "../isolation/control-group.ts";
import type { SandboxIdentity } from "../isolation/identity.ts";
import { type LaunchedProcess, toLaunchedProcess } from "../launch/launched-process.ts";
import { SANDBOX_MARKER_VARIABLE } from "../launch/marked-processes.ts";
import type { LocalSandbox, LaunchContext } from "../launch/supervised-backend.ts";
import { SETUP_FAILED } from "./explain-failure.ts";
import { SANDBOX_NODE_PATH, SANDBOX_RUNNER_PATH } from "./profile.ts";

export interface LaunchOptions extends LaunchContext {
  shell: HostProgram;
  bwrap: HostProgram;
  unshareCommand: readonly string[];
  argv: readonly string[];
  identity: SandboxIdentity;
  limits: SandboxLimits;
  setup: string | undefined;
}

export interface OpenedBubblewrap extends LocalSandbox {
  propagatesMounts: boolean;
}

/** The whole environment of the runner. The last folder has a Node for systems without one. */
export const RUNNER_ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/opt/haft",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
  USER: "haft",
  LOGNAME: "haft",
};

export function launchBubblewrap(options: LaunchOptions): LaunchedProcess {
  const { id, shell, bwrap, unshareCommand, argv, identity, limits, group, entries, files, setup } = options;
  const args = files.addText(argv.map((one) => `${one}\0`).join(""));
  const command = [
    ...innerShell(limits, group, setup),
    SANDBOX_NODE_PATH,
    ...RUNNER_FLAGS,
    SANDBOX_RUNNER_PATH,
  ];
  const child = startProgram(
    shell,
    [
      "-c",
      buildLimitedStartScript(limits, group, entries),
      "haft-sandbox",
      ...unshareCommand,
      requireUnchangedProgram(bwrap),
      "--args",
      String(args),
      "--",
      ...command,
    ],
    {
      // Signals of the host's terminal must not reach it.
      detached: true,
      cwd: "/",
      env: { ...RUNNER_ENVIRONMENT, [SANDBOX_MARKER_VARIABLE]: id },
      stdio: ["pipe", "pipe", "pipe", ...files.stdio()],
      ...identity.drop,
    },
  );
  return toLaunchedProcess(child);
}

function innerShell(limits: SandboxLimits, group: SandboxControlGroup, setup: string | undefined): string[] {
  const script: string[] = [];
  // The option differs between shells. In a user namespace, it counts only the sandbox's processes.
  if (!group.controllers.has("pids"))
    script.push(`ulimit -u ${limits.tasks} 2>/dev/null || ulimit -p ${limits.tasks} 2>/dev/null`);
  if (setup !== undefined) script.push(`sh -c "$0" </dev/null >&2 || exit ${SETUP_FAILED}`);
  return script.length === 0 ? [] : ["/bin/sh", "-c", [...script, 'exec "$@"'].join("; "), setup ?? "haft"];
}
