import { spawn } from "node:child_process";

class ProgramError extends Error {}

/**
 * Runs a program in a folder and shows its output.
 *
 * @throws ProgramError
 */
export function runChildProgram(
  [program, ...args]: readonly string[],
  { cwd, signal, quiet = false }: { cwd: string; signal: AbortSignal; quiet?: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, {
      cwd,
      signal,
      killSignal: "SIGTERM",
      // Scripts on Windows need a shell.
      shell: process.platform === "win32",
      stdio: ["ignore", quiet ? "ignore" : "inherit", "inherit"],
    });
    const failed = (why: string) => new ProgramError(`${[program, ...args].join(" ")} ${why}.`);
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ENOENT" ? failed("was not found") : error),
    );
    child.once("close", (code, ended) => {
      if (code === 0) resolve();
      else reject(failed(ended === null ? `ended with exit code ${code}` : `was ended by ${ended}`));
    });
  });
}
