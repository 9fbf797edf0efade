import { attempt } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { closeSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

const FIRST = 3;
const O_CLOEXEC = 0o2000000;

/** Passes open files by number, so that no command line or file name exposes them. */
export class PassedFiles {
  readonly #folder: string;
  readonly #open: (number | "pipe")[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    makeFolder(folder, 0o700);
  }

  addFile(fd: number): number {
    this.#open.push(fd);
    return FIRST + this.#open.length - 1;
  }

  addPipe(): number {
    this.#open.push("pipe");
    return FIRST + this.#open.length - 1;
  }

  addText(content: string | Uint8Array): number {
    const path = join(this.#folder, `.${process.pid}-${crypto.randomUUID()}`);
    const fd = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    const bytes = Buffer.from(content);
    // With positions, so that the child reads from the start.
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, at);
    return this.addFile(fd);
  }

  stdio(): ("ignore" | "pipe" | number)[] {
    const stdio: ("ignore" | "pipe" | number)[] = [...this.#open];
    const foreign = inheritable().filter((fd) => fd >= FIRST + this.#open.length);
    if (foreign.length === 0) return stdio;
    const nothing = openSync("/dev/null", "r");
    for (let at = stdio.length; at <= foreign.at(-1)! - FIRST; at++)
      stdio[at] = foreign.includes(at + FIRST) ? nothing : "ignore";
    this.#open.push(nothing);
    return stdio;
  }

  close(): void {
    for (const fd of this.#open.splice(0)) if (fd !== "pipe") closeSync(fd);
  }
}

function inheritable(): number[] {
  const isHandedOn = (fd: number): boolean => {
    const text = attempt(() => readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"));
    if (text === undefined) return false;
    return (Number.parseInt(/^flags:\s+(\d+)/m.exec(text)?.[1] ?? "0", 8) & O_CLOEXEC) === 0;
  };
  const open = readdirSync("/proc/self/fdinfo").map(Number);
  return open.filter((fd) => fd >= FIRST && isHandedOn(fd)).toSorted((a, b) => a - b);
}
