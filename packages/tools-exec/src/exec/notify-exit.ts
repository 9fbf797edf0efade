import type { CommandSession } from "../sessions/command-session.ts";
import type { CommandEnd } from "../sessions/describe-end.ts";
import { readTail } from "./watch-output.ts";

/**
 * Reports the end of a background command, unless the model already knows it.
 *
 * @example
 * ```ts
 * import { createExecPlugin, type CommandNotice } from "@haft/tools-exec";
 * const onExit = ({ sessionKey, name, status, exitCode, snippet }: CommandNotice) =>
 *   console.log(`[${sessionKey}] ${name} ${status} (${exitCode ?? "signal"}): ${snippet}`);
 * const plugin = createExecPlugin({ onExit, notifyOnExitEmptySuccess: true });
 * ```
 */
export interface CommandNotice extends CommandEnd {
  /** Key of the starting session. */
  sessionKey: string;
  /** Id for `process`. */
  sessionId: string;
  /** Title, or the command. */
  name: string;
  /** Absolute path of the working folder. */
  cwd: string;
  /** From the start to the end. */
  durationMs: number;
  /** End of the output, at most 180 characters on one line. */
  snippet: string;
}

interface NotifyOptions {
  onExit?: (notice: CommandNotice) => void;
  notifyOnExitEmptySuccess?: boolean;
}

const SNIPPET = 180;
const SNIPPET_FROM = 400;

export function notifyExit(session: CommandSession, sessionKey: string, options: NotifyOptions): void {
  if (options.onExit === undefined) return;
  // The next call about the command reports the loss.
  waitAndNotify(session, sessionKey, options, options.onExit).catch(() => {});
}

async function waitAndNotify(
  session: CommandSession,
  sessionKey: string,
  { notifyOnExitEmptySuccess = false }: NotifyOptions,
  notify: (notice: CommandNotice) => void,
): Promise<void> {
  const { processes, id: sessionId, title } = session;
  const info = session.update(await processes.wait(session.info.id));
  if (info.state === "running" || session.endedByModel || (await session.endWillBeSeen())) return;
  await session.resolveEnd();
  const { end } = session;
  const tail = info.output.total === 0 ? "" : await readTail(session);
  if (tail === "" && end.exitCode === 0 && !notifyOnExitEmptySuccess) return;
  notify({
    ...end,
    sessionKey,
    sessionId,
    name: title ?? info.command,
    cwd: info.cwd,
    durationMs: (info.endedAt ?? Date.now()) - info.startedAt,
    snippet: tail.slice(-SNIPPET_FROM).replaceAll(/\s+/g, " ").trim().slice(-SNIPPET),
  });
}
