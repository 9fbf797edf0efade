import { writeSync } from "node:fs";

interface Leaving {
  reallyExit(this: void, code?: number): never;
}

/**
 * Exits with code 2 without an answer: agents read exit code 0 without output as consent. Does not cover
 * exits with another code, such as an abort, or a replacement of the process.
 *
 * @returns sets the exit code of an answer
 */
export function failClosed(): (exitCode: number) => void {
  let ended: number | undefined;
  const leaving = process as unknown as Leaving;
  const leave = leaving.reallyExit;
  const end = (): number => {
    if (ended === undefined)
      writeSync(2, "Haft denies this call: the program that decides ended without an answer.\n");
    return (ended ??= 2);
  };
  process.exitCode = 2;
  process.on("exit", () => (process.exitCode = end()));
  leaving.reallyExit = () => leave(end());
  return (exitCode) => {
    ended = exitCode;
  };
}
