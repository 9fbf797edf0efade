import { readFileSync } from "node:fs";

/** The runner for places without Node, a POSIX shell script: what it does is said there. The build puts its text in. */
export function shellProgram(): string {
  return readFileSync(new URL("./runner.sh", import.meta.url), "utf8");
}
