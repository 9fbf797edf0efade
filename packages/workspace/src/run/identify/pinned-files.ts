import type { FileIdentity } from "@haft/core";
import { attempt } from "@haft/system/processes";
import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import type { Launch } from "../children/child.ts";
import { findProgram } from "../shell-program.ts";
import { checkUnchanged, getIdentityVersion } from "./file-identity.ts";

export interface PinnedFiles {
  program: string;
  cwd: string;
  release(): void;
}

const ELF = Buffer.from("\x7fELF", "latin1");
/** A process reaches what it has open by its number, also the child that has just been forked. */
const OPEN_FILES = "/proc/self/fd";

/**
 * Looks whether all is as it was expected and, on Linux, keeps the program and the folder open from before
 * that look until they are used: then replacing them by name comes too late, however exactly it is timed. Only native
 * programs can be started like that. A script is opened again by its interpreter, by name, and so is whatever
 * else was expected: until then the look is all there is.
 *
 * @throws RunnerError `PLAN_CHANGED`, `PROGRAM_NOT_FOUND`
 */
export function pinExpectedFiles(launch: Launch): PinnedFiles {
  const { argv, cwd, expect, scratch } = launch;
  if (expect.length === 0) return { program: launch.program ?? argv[0]!, cwd, release: () => {} };
  const program = findExpected(launch);
  const folder = holdOne(expect, cwd, constants.O_DIRECTORY);
  const file = holdOne(expect, program, constants.O_NONBLOCK);
  const release = (): void => {
    for (const fd of [folder, file]) if (fd !== undefined) closeSync(fd);
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    checkUnchanged(expect, launch);
    return {
      program: file === undefined || !isNative(file) ? program : linkTo(file, scratch, basename(program)),
      cwd: folder === undefined ? cwd : join(OPEN_FILES, String(folder)),
      release,
    };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

function findExpected({ argv, program, cwd, env, expect }: Launch): string {
  if (program !== undefined) return program;
  try {
    return findProgram(argv[0]!, env["PATH"], cwd);
  } catch (thrown) {
    // That it is gone is a change, if it was expected.
    checkUnchanged(expect, { env, cwd });
    throw thrown;
  }
}

/** Opens what is expected at this path; `undefined` where that is not possible, or not what was expected. */
function holdOne(expect: readonly FileIdentity[], path: string, flags: number): number | undefined {
  const expected = expect.find((one) => one.path === path);
  if (expected === undefined || process.platform !== "linux") return undefined;
  // When it is not readable, or gone, the look that follows knows what to say of it.
  const fd = attempt(() => openSync(path, constants.O_RDONLY | flags));
  if (fd === undefined || getIdentityVersion(fstatSync(fd, { bigint: true })) === expected.version) return fd;
  closeSync(fd);
  return undefined;
}

function isNative(fd: number): boolean {
  const start = Buffer.alloc(ELF.length);
  return readSync(fd, start, 0, start.length, 0) === ELF.length && start.equals(ELF);
}

/** The system calls a process by the last part of the name it was started by: `git`, and not `23`. */
function linkTo(fd: number, scratch: string, name: string): string {
  mkdirSync(scratch, { mode: 0o700 });
  const link = join(scratch, name);
  symlinkSync(join(OPEN_FILES, String(fd)), link);
  return link;
}
