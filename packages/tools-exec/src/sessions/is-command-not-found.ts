import type { Processes, ProcessInfo } from "@haft/plugin-sdk";
import { decodeOutput } from "../output/decode-output.ts";
import { readWindow } from "../output/read-window.ts";

const LOOKED_AT = 16 * 1024;
const NOT_FOUND =
  /^\S.*: (?:line \d+: (?:.+: command not found|exec: .+: not found|\S*\/.*: No such file or directory)|\d+: .+: not found)$/;
/** A command that contains such words may have printed them. */
const COMMAND_WORDS = /not found|No such file/;

/**
 * Returns whether exit code 127 means a missing program. Bash also uses it for `${NAME:?}` and after `set -u`, so the last output of the
 * works only in English.
 */
export async function isCommandNotFound(processes: Processes, info: ProcessInfo): Promise<boolean> {
  if (info.exitCode !== 127 || COMMAND_WORDS.test(info.command)) return false;
  const from = Math.max(0, info.output.total - LOOKED_AT);
  const { head, tail } = await readWindow(processes, info.id, from);
  const shellChunks = [...head, ...tail].filter(({ stream }) => info.pty || stream === "stderr");
  const { text } = decodeOutput(shellChunks, undefined, { ended: true });
  return NOT_FOUND.test(text.trimEnd().split("\n").at(-1)?.trim() ?? "");
}
