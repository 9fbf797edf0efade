import { withoutUndefined } from "@haft/core";
import type { HostProgram } from "@haft/workspace/internal/system";
import { runningNode, safePath, startProgram, unchanged } from "@haft/workspace/internal/system";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { SandboxLimits } from "../backend.ts";
import { limitedStart } from "../isolation/limited-start.ts";
import { launched, type Launched } from "../launch/launched.ts";
import { MARK } from "../launch/marked-processes.ts";
import type { Start } from "../launch/tethered-backend.ts";
import { quoted } from "../quoted.ts";
import type { KeeperFailure, KeeperOrder } from "./keeper.ts";
import type { PrivateFolder } from "./private-folder.ts";

export interface LaunchOptions extends Start, Pick<KeeperOrder, "module" | "config"> {
  shell: HostProgram;
  folder: PrivateFolder;
  identity: { uid: number; gid: number } | undefined;
  limits: SandboxLimits;
}

/** Starts the keeper. `failure` resolves with what it has to say when it ends, if anything. */
export function launchKeeper(
  options: LaunchOptions,
): Launched & { failure: Promise<KeeperFailure | undefined> } {
  const { id, module, config, shell, folder, identity, limits, group, entries, files } = options;
  const passed = files.stdio();
  const child = startProgram(runningNode(), ["--no-warnings", program(), String(3 + passed.length)], {
    // Of its own, so that signals of the host's terminal are for the host.
    detached: true,
    cwd: folder.keeper,
    env: {
      // Whatever srt looks for itself.
      PATH: safePath(),
      HOME: folder.home,
      TMPDIR: folder.keeper,
      // Where srt lets commands have their temporary files.
      CLAUDE_CODE_TMPDIR: folder.home,
      [MARK]: id,
    },
    stdio: ["pipe", "pipe", "pipe", ...passed, "pipe"],
  });
  const control = child.stdio[3 + passed.length] as Socket;
  const order: KeeperOrder = withoutUndefined({
    module,
    config,
    shell: unchanged(shell),
    command: `unset ${MARK}; exec sh ${quoted(folder.start)}`,
    around: limitedStart(limits, group, entries),
    entries,
    identity,
  });
  control.write(`${JSON.stringify(order)}\n`);
  return { ...launched(child), failure: failureFrom(control) };
}

function failureFrom(control: Socket): Promise<KeeperFailure | undefined> {
  let said = "";
  control.on("data", (bytes: Buffer) => (said += bytes.toString()));
  return new Promise((resolve) => {
    control.on("error", () => {});
    control.once("close", () => resolve(said === "" ? undefined : (JSON.parse(said) as KeeperFailure)));
  });
}

/** Beside this code, or at the top of `dist` where that is. */
function program(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./keeper.${extension}`, import.meta.url));
}
