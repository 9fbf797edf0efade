import type { HaftError } from "@haft/core";
import { builtFile } from "@haft/system";
import {
  connectWithTimeout,
  DEFAULT_ANSWER_MS,
  DEFAULT_GREETING_MS,
  DEFAULT_MAX_READ_BYTES,
  DEFAULT_MAX_RUNNING,
  DEFAULT_SILENT_MS,
  noRunnerError,
  type RunnerConnection,
  type RunnerSettings,
  workspaceError,
} from "@haft/workspace/internal/wire";
import { readFileSync } from "node:fs";
import type { Duplex } from "node:stream";
import { ShellChannel, encodeShellWord } from "./shell-channel.ts";
import { createShellFileSystem } from "./shell-files.ts";
import { ShellProcesses } from "./shell-processes.ts";

const GREETING = "haft-sh-1";

/** Without terminals, identification, globs; checks precede operations. @throws HaftError `SANDBOX_NO_RUNNER`, `ROOT_INVALID`, `ABORTED` */
export async function connectShellRunner(
  stream: Duplex,
  settings: RunnerSettings,
  signal?: AbortSignal,
): Promise<RunnerConnection> {
  const {
    mounts,
    answerMs = DEFAULT_ANSWER_MS,
    silentMs = DEFAULT_SILENT_MS,
    startMs = DEFAULT_GREETING_MS,
    maxReadBytes = DEFAULT_MAX_READ_BYTES,
  } = settings;
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  const channel = new ShellChannel(stream, { onLost: end, answerMs, silentMs });
  return connectWithTimeout({ channel, startMs, signal }, async () => {
    const { fields, body } = await channel.hello;
    const [greeting, uid, gid, mark = "", missing = "="] = fields;
    if (greeting !== GREETING) throw noRunnerError("another program answers in place of its shell runner");
    if (missing !== "=") {
      throw noRunnerError(
        `its shell does not find ${missing.slice(1).split(",").filter(Boolean).join(", ")}`,
      );
    }
    for (const mount of mounts) {
      const { ok } = await channel.call("mount", mount.access, encodeShellWord(mount.path));
      if (!ok) throw rootInvalid(mount.path);
    }
    const table = settings.mountTable === true ? (await channel.call("mounts")).body.toString() : "";
    const [home = "/", path = "", platform = ""] = body.toString().split("\0");
    const processes = new ShellProcesses(channel, {
      mark,
      maxRunning: settings.maxRunning ?? DEFAULT_MAX_RUNNING,
    });
    void ended.then(() => processes.forget());
    return {
      fs: createShellFileSystem(channel, { mounts, home, maxReadBytes }),
      processes,
      capabilities: { files: true, processes: true, pty: false, identify: false },
      facts: { node: "", platform: platform.toLowerCase(), uid: Number(uid), gid: Number(gid), home },
      env: { PATH: path, HOME: home },
      ...(table === "" ? {} : { mountTable: table }),
      ended,
      close: async (graceMs = 0) => {
        await processes.close(graceMs).catch(() => {});
        stream.end();
        channel.abandon("it was closed");
      },
    };
  });
}

function rootInvalid(path: string): HaftError {
  const message = `The workspace cannot be opened: ${JSON.stringify(path)} is not a folder there.`;
  const fix = "Name an existing folder for every root.";
  return workspaceError("ROOT_INVALID", message, { fix, details: { root: path }, receipt: "none" });
}

export function readShellProgram(): string {
  const from = import.meta.url;
  const url = from.endsWith(".ts")
    ? new URL("./runner.sh", from)
    : builtFile("@haft/sandbox", "runner.sh", from);
  return readFileSync(url, "utf8");
}
