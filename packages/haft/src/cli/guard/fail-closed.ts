import { writeSync } from "node:fs";

interface Leaving {
  reallyExit(this: void, code?: number): never;
}

/**
 * Ends this process with exit code 2 if it exits without an answer: agents read exit code 0 without output as consent. Does not cover exits
 * with an exit code of their own, such as an abort, and a program that replaces this process.
 *
 * @returns a function that sets the exit code once there is an answer
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
