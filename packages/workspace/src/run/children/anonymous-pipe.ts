import type { ChildProcessByStdio, StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { findHostProgram } from "../../system/host-program.ts";
import { startProgram } from "../../system/start-program.ts";

type Holder = ChildProcessByStdio<Writable, Readable, null>;

/** Puts one byte into a pipe of its own, says so, and holds it until its input ends. */
const HOLDER = `exec 3<<E

E
echo; read x`;

/**
 * A pipe without a name, for the input of a command; `undefined` where there is none to be had. Node makes none, but
 * shells do, for the text of a here-document, and what another process has open can be opened again.
 *
 * It has to be this kind: a named pipe whose writer has closed cannot be opened any more without waiting for
 * another one, so `cat /dev/stdin` would hang when all input was there before it.
 *
 * @throws RunnerError `HOST_PROGRAM_CHANGED`
 */
export async function anonymousPipe(): Promise<{ reader: number; writer: number } | undefined> {
  if (process.platform !== "linux") return undefined;
  const { program } = findHostProgram("sh");
  if (program === undefined) return undefined;
  const stdio: StdioOptions = ["pipe", "pipe", "ignore"];
  const holder = startProgram(program, ["-c", HOLDER], { stdio, env: {} }) as Holder;
  holder.on("error", () => {});
  holder.stdin.on("error", () => {});
  try {
    await Promise.race([once(holder.stdout, "data"), once(holder, "exit")]);
    const path = `/proc/${holder.pid}/fd/3`;
    if (!readlinkSync(path).startsWith("pipe:")) return undefined;
    const reader = openSync(path, constants.O_RDONLY);
    try {
      const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      readSync(reader, Buffer.alloc(1));
      return { reader, writer };
    } catch (thrown) {
      closeSync(reader);
      throw thrown;
    }
  } catch {
    return undefined;
  } finally {
    holder.stdin.end();
  }
}
