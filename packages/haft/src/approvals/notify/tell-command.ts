import { messageOf } from "@haft/core";
import { escapeInvisible, redactSecrets } from "@haft/core/internal";
import { hostProgram, safePath, startProgram } from "@haft/workspace/internal/system";
import type { ChildProcess } from "node:child_process";
import { basename } from "node:path";
import { type Notice, wholeLine } from "./notice-text.ts";
import type { NotifyCommand } from "./settings.ts";

/** What of the host's environment goes along: what a program needs to reach its user's desktop and its own settings. */
const INHERITED = (
  "HOME USER LOGNAME LANG LC_ALL TZ TMPDIR DISPLAY WAYLAND_DISPLAY XAUTHORITY " +
  "XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS"
).split(" ");
/** Characters kept of what it says of its failure. */
const MOST_SAID = 500;

/**
 * Runs it with the line on standard input and in variables, and resolves when it ended well. What it prints is not read:
 * nobody answers a call that way. It is killed, with its process group, when the signal aborts.
 */
export async function tellCommand(
  { command }: NotifyCommand,
  notice: Notice,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...args] = command as [string, ...string[]];
  const isPath = first.includes("/");
  const option = "approvals.notify";
  const program = hostProgram(isPath ? basename(first) : first, isPath ? { path: first, option } : {});
  const child = startProgram(program, args, {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...inherited(), PATH: safePath(), ...variablesOf(notice) },
  });
  await ended(child, `${wholeLine(notice)}\n`, signal);
}

function ended(child: ChildProcess, input: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  const onAbort = () => {
    killGroup(child);
    reject(new Error("it had not ended in time, and was killed"));
  };
  signal.addEventListener("abort", onAbort);
  child.on("error", (thrown) => reject(new Error(messageOf(thrown))));
  // What it left in the background may hold its output open.
  child.on("exit", (code, signalled) => {
    child.stderr?.destroy();
    if (code === 0) return resolve();
    const how = signalled === null ? `ended with code ${code}` : `was ended by ${signalled}`;
    const words = redactSecrets(escapeInvisible(said.trim()));
    reject(new Error(`it ${how}${words === "" ? "" : `: ${words}`}`));
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    if (said.length < MOST_SAID) said = (said + bytes.toString("utf8")).slice(0, MOST_SAID);
  });
  child.stderr?.on("error", () => {});
  // One that does not read it may have what it needs from its variables.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  if (signal.aborted) onAbort();
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function variablesOf({ approvalId, tool, line, answer }: Notice): Record<string, string> {
  return {
    HAFT_APPROVAL_ID: approvalId,
    HAFT_APPROVAL_TOOL: tool,
    HAFT_APPROVAL_LINE: line,
    HAFT_APPROVAL_ANSWER: answer,
  };
}
