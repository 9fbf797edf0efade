import { writeSync } from "node:fs";

/** What Node itself leaves by, which is put in another's place where somebody wants to know of it. */
interface Leaving {
  reallyExit(this: void, code?: number): never;
}

/**
 * Ends this process with exit code 2 and a text, whatever ends it before there is an answer, code that it loads as well: agents take
 * exit code 0 and silence for consent. All ways out that Node has come by here, but those that leave another exit code by
 * themselves, and that of a program that takes the place of this one.
 *
 * @returns to be called with the exit code once there is an answer; from then on that counts
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
