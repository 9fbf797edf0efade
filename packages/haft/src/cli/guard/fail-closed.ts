import { writeSync } from "node:fs";

/** The internal exit function of Node. */
interface Leaving {
  reallyExit(this: void, code?: number): never;
}

/**
 * Ends this process with exit code 2 and a text if it exits without an answer, also if loaded code exits: agents read exit code 0 without
 * output as consent. Covers all exits of Node except those with an exit code of their own, such as an abort, and a program that replaces
 * this
 * process.
 *
 * @returns a function that sets the exit code once there is an answer
 */
export function failClosed(): (exitCode: number) => void {
  let ended: number | undefined;
  const leaving = process as unknown as Leaving;
  const leave = leaving.reallyExit;
  const end = (): number => {
    if (ended === undefined)
      writeSync(2, "Haft denies this call: the program that decides ended before it did.\n");
    return (ended ??= 2);
  };
  process.exitCode = 2;
  process.on("exit", () => (process.exitCode = end()));
  leaving.reallyExit = () => leave(end());
  return (exitCode) => {
    ended = exitCode;
  };
}
