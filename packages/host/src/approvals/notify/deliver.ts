import {
  type NotifyWebhook,
  type NotifyCommand,
  resolveSecretText,
  isHeader,
  findUrlProblem,
} from "@haft/config/internal/settings";
import { getErrorMessage } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import { hostProgram, safePath, startProgram } from "@haft/system";
import { escapeInvisible } from "@haft/utils";
import type { ChildProcess } from "node:child_process";
import { basename } from "node:path";
import { type Notice, formatNotice } from "./notice-text.ts";

/** Variables that a program needs to reach its user's desktop and settings. */
const INHERITED = (
  "HOME USER LOGNAME LANG LC_ALL TZ TMPDIR DISPLAY WAYLAND_DISPLAY XAUTHORITY " +
  "XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS"
).split(" ");
const MAX_REPORTED_CHARACTERS = 500;

/**
 * Posts the notice as JSON, and resolves when the response begins. The body cannot answer a call.
 *
 * @throws Error without the URL, which may be secret
 */
export async function postNotice(
  { url: given, headers: more = {} }: NotifyWebhook,
  notice: Notice,
  signal: AbortSignal,
): Promise<void> {
  const url = resolveSecretText(given);
  const problem = findUrlProblem(url);
  if (problem !== undefined) {
    const where = typeof given === "string" ? "url" : `the variable ${given.env}`;
    throw new Error(`${problem.slice(0, -1)} (${where})`);
  }
  const headers = new Headers({ "content-type": "application/json" });
  for (const [name, each] of Object.entries(more)) {
    const value = resolveSecretText(each);
    if (!isHeader(name, value)) throw new Error(`the header ${name} has a value that cannot be sent`);
    headers.set(name, value);
  }
  let response: Response;
  try {
    const body = JSON.stringify({ type: "approval-requested", ...notice });
    // Only the operator chooses the receiver, so redirects fail.
    response = await fetch(url, { method: "POST", redirect: "error", headers, body, signal });
  } catch (thrown) {
    if (signal.aborted) throw new Error("it did not answer in time", { cause: thrown });
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    const why = redactSecrets(getErrorMessage(cause ?? thrown)).replaceAll(url, "[address]");
    throw new Error(why, { cause: thrown });
  }
  await response.body?.cancel().catch(() => {});
  if (!response.ok) throw new Error(`it answered with HTTP ${response.status}`);
}

/** Runs the command with the line on standard input and in variables. An abort kills its process group. */
export async function runNotifyCommand(
  { command }: NotifyCommand,
  notice: Notice,
  signal: AbortSignal,
): Promise<void> {
  const [first, ...args] = command as [string, ...string[]];
  const where = first.includes("/") ? { path: first, option: "approvals.notify" } : {};
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.includes(name));
  const child = startProgram(hostProgram(basename(first), where), args, {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
    env: {
      ...Object.fromEntries(inherited),
      PATH: safePath(),
      HAFT_APPROVAL_ID: notice.approvalId,
      HAFT_APPROVAL_TOOL: notice.tool,
      HAFT_APPROVAL_LINE: notice.line,
      HAFT_APPROVAL_ANSWER: notice.answer,
    },
  });
  await ended(child, `${formatNotice(notice)}\n`, signal);
}

function ended(child: ChildProcess, input: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let printed = "";
  const onAbort = () => {
    killGroup(child);
    reject(new Error("it had not ended in time, and was killed"));
  };
  signal.addEventListener("abort", onAbort);
  child.on("error", (thrown) => reject(new Error(getErrorMessage(thrown))));
  // Its background processes may hold the output open.
  child.on("exit", (code, signalled) => {
    child.stderr?.destroy();
    if (code === 0) return resolve();
    const how = signalled === null ? `ended with code ${code}` : `was ended by ${signalled}`;
    const words = redactSecrets(escapeInvisible(printed.trim()));
    reject(new Error(`it ${how}${words === "" ? "" : `: ${words}`}`));
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    if (printed.length < MAX_REPORTED_CHARACTERS)
      printed = (printed + bytes.toString("utf8")).slice(0, MAX_REPORTED_CHARACTERS);
  });
  child.stderr?.on("error", () => {});
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
    // It has ended already.
  }
}
