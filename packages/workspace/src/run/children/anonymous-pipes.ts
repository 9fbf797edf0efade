import { findHostProgram, startProgram } from "@haft/system/processes";
import type { ChildProcessByStdio, StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

type Holder = ChildProcessByStdio<Writable, Readable, null>;

interface AnonymousPipe {
  reader: number;
  writer: number;
}

/** Shells accept only one-digit numbers. */
const NUMBERS = [3, 4, 5, 6, 7, 8, 9];
const HOLDER = `exec ${NUMBERS.map((number) => `${number}<<E`).join(" ")}
${NUMBERS.map(() => "\nE\n").join("")}echo; read x`;

/** Uses pipes of here-documents, because Node creates no pipes that can be reopened. With a named pipe, `cat /dev/stdin` could hang. */
export class AnonymousPipes {
  readonly #free: AnonymousPipe[] = [];
  #making: Promise<boolean> | undefined;
  #closed = false;

  async take(): Promise<AnonymousPipe | undefined> {
    for (;;) {
      const pipe = this.#free.pop();
      if (pipe !== undefined) return pipe;
      this.#making ??= this.#make().finally(() => (this.#making = undefined));
      if (!(await this.#making)) return undefined;
    }
  }

  close(): void {
    this.#closed = true;
    for (const { reader, writer } of this.#free.splice(0)) [reader, writer].forEach((end) => closeSync(end));
  }

  async #make(): Promise<boolean> {
    const { program } = process.platform === "linux" ? findHostProgram("sh") : {};
    if (program === undefined) return false;
    const stdio: StdioOptions = ["pipe", "pipe", "ignore"];
    const holder = startProgram(program, ["-c", HOLDER], { stdio, env: {} }) as Holder;
    holder.on("error", () => {});
    holder.stdin.on("error", () => {});
    try {
      await Promise.race([once(holder.stdout, "data"), once(holder, "exit")]);
      for (const number of NUMBERS) this.#free.push(openPipe(`/proc/${holder.pid}/fd/${number}`));
    } catch {
      // Some pipes may be open.
    } finally {
      holder.stdin.end();
    }
    if (this.#closed) this.close();
    return this.#free.length > 0;
  }
}

/** @throws if the path is not a pipe */
function openPipe(path: string): AnonymousPipe {
  if (!readlinkSync(path).startsWith("pipe:")) throw new Error(`${path} is not a pipe`);
  const reader = openSync(path, constants.O_RDONLY);
  try {
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    readSync(reader, Buffer.alloc(1));
    return { reader, writer };
  } catch (thrown) {
    closeSync(reader);
    throw thrown;
  }
}
