import { homedir } from "node:os";
import { isAbsolute } from "node:path";

/**
 * The home folder of this user. Loads nothing of Haft.
 *
 * @returns `undefined` where there is none: `HOME` is a relative path or empty, or is not set and the system knows none
 */
export function homeFolder(): string | undefined {
  const home = saidHome();
  return home !== undefined && isAbsolute(home) ? home : undefined;
}

/** Why there is none, and what it is: the beginning of a sentence that ends with what follows from it. */
export function whyNoHome(): string {
  const home = saidHome();
  return home === undefined || home === ""
    ? `HOME is ${process.env["HOME"] === undefined ? "not set, and this user has no home folder" : "empty"}.`
    : `HOME is ${JSON.stringify(home)}, which is another folder wherever Haft is started.`;
}

function saidHome(): string | undefined {
  try {
    return homedir();
  } catch {
    // The system does not know this user.
    return undefined;
  }
}
