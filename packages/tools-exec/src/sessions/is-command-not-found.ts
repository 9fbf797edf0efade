import type { Processes, ProcessInfo } from "@haft/plugin-sdk";
import { decodeOutput } from "../output/decode-output.ts";
import { readWindow } from "../output/read-window.ts";

/** Of what it has written, from its end. */
const LOOKED_AT = 16 * 1024;
const NOT_FOUND =
  /^\S.*: (?:line \d+: (?:.+: command not found|exec: .+: not found|\S*\/.*: No such file or directory)|\d+: .+: not found)$/;
/** A command that has such words itself can have written them. */
const OWN_WORDS = /not found|No such file/;

/**
 * Was it a program that was missing? Shells end with code 127 then, and bash also for `${NAME:?}` and behind `set -u`; so what
 * the shell wrote last has to say so. In other languages than English it does not.
 */
export async function isCommandNotFound(processes: Processes, info: ProcessInfo): Promise<boolean> {
  if (info.exitCode !== 127 || OWN_WORDS.test(info.command)) return false;
  const from = Math.max(0, info.output.total - LOOKED_AT);
  const { head, tail } = await readWindow(processes, info.id, from);
  // A terminal has one stream.
  const own = [...head, ...tail].filter(({ stream }) => info.pty || stream === "stderr");
  const { text } = decodeOutput(own, undefined, { ended: true });
  return NOT_FOUND.test(text.trimEnd().split("\n").at(-1)?.trim() ?? "");
}
