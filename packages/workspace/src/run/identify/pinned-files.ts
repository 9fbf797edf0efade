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
/** Also valid in a child after the fork. */
const OPEN_FILES = "/proc/self/fd";

/** Keeps program and folder open from before the check (Linux). @throws RunnerError `PLAN_CHANGED`, `PROGRAM_NOT_FOUND` */
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
    // A missing expected program is a change.
    checkUnchanged(expect, { env, cwd });
    throw thrown;
  }
}

function holdOne(expect: readonly FileIdentity[], path: string, flags: number): number | undefined {
  const expected = expect.find((one) => one.path === path);
  if (expected === undefined || process.platform !== "linux") return undefined;
  const fd = attempt(() => openSync(path, constants.O_RDONLY | flags));
  if (fd === undefined || getIdentityVersion(fstatSync(fd, { bigint: true })) === expected.version) return fd;
  closeSync(fd);
  return undefined;
}

function isNative(fd: number): boolean {
  const start = Buffer.alloc(ELF.length);
  return readSync(fd, start, 0, start.length, 0) === ELF.length && start.equals(ELF);
}

/** The system names a process by the last part of its path: `git`, not `23`. */
function linkTo(fd: number, scratch: string, name: string): string {
  mkdirSync(scratch, { mode: 0o700 });
  const link = join(scratch, name);
  symlinkSync(join(OPEN_FILES, String(fd)), link);
  return link;
}
