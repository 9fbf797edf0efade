import { type HostProgram, startProgram, unchanged } from "@haft/workspace/internal/system";
import { RUNNER_FLAGS } from "@haft/workspace/internal/wire";
import type { SandboxLimits } from "../backend.ts";
import { type SandboxControlGroup, limitedStart } from "../isolation/control-group.ts";
import type { SandboxIdentity } from "../isolation/identity.ts";
import { type Launched, launched } from "../launch/launched.ts";
import { PROCESS_MARK } from "../launch/marked-processes.ts";
import type { OpenedHere, Start } from "../launch/tethered-backend.ts";
import { SETUP_FAILED } from "./explain-failure.ts";
import { NODE_INSIDE, PROGRAM_INSIDE } from "./profile.ts";

export interface LaunchOptions extends Start {
  shell: HostProgram;
  bwrap: HostProgram;
  privately: readonly string[];
  argv: readonly string[];
  identity: SandboxIdentity;
  limits: SandboxLimits;
  setup: string | undefined;
}

export interface OpenedBubblewrap extends OpenedHere {
  /** What the host mounts later in one of its folders is mounted in it, too. */
  follows: boolean;
}

/** All the runner has; commands get theirs from the host. The last folder has a Node for systems without one. */
export const RUNNER_ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/opt/haft",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
  USER: "haft",
  LOGNAME: "haft",
};

/** Starts bubblewrap through a shell of the sandbox's user, which first enters the control group and gives up rights. */
export function launchBubblewrap(options: LaunchOptions): Launched {
  const { id, shell, bwrap, privately, argv, identity, limits, group, entries, files, setup } = options;
  const args = files.addText(argv.map((one) => `${one}\0`).join(""));
  const command = [...innerShell(limits, group, setup), NODE_INSIDE, ...RUNNER_FLAGS, PROGRAM_INSIDE];
  const child = startProgram(
    shell,
    [
      "-c",
      limitedStart(limits, group, entries),
      "haft-sandbox",
      ...privately,
      unchanged(bwrap),
      "--args",
      String(args),
      "--",
      ...command,
    ],
    {
      // Of its own, so that signals of the host's terminal are for the host.
      detached: true,
      cwd: "/",
      env: { ...RUNNER_ENVIRONMENT, [PROCESS_MARK]: id },
      stdio: ["pipe", "pipe", "pipe", ...files.stdio()],
      ...identity.drop,
    },
  );
  return launched(child);
}

/** What has to happen inside, before the runner: a limit that counts by user there, and the setup script. */
function innerShell(limits: SandboxLimits, group: SandboxControlGroup, setup: string | undefined): string[] {
  const script: string[] = [];
  // Shells call it differently. In a user namespace of its own, only the sandbox's processes count.
  if (!group.holds.has("pids"))
    script.push(`ulimit -u ${limits.tasks} 2>/dev/null || ulimit -p ${limits.tasks} 2>/dev/null`);
  if (setup !== undefined) script.push(`sh -c "$0" </dev/null >&2 || exit ${SETUP_FAILED}`);
  return script.length === 0 ? [] : ["/bin/sh", "-c", [...script, 'exec "$@"'].join("; "), setup ?? "haft"];
}
