import { builtFile } from "@haft/workspace/internal/system";
import { readFileSync } from "node:fs";

/** The runner for places without Node, a POSIX shell script. The build copies it to `dist`. */
export function shellProgram(): string {
  const from = import.meta.url;
  const url = from.endsWith(".ts")
    ? new URL("./runner.sh", from)
    : builtFile("@haft/sandbox", "runner.sh", from);
  return readFileSync(url, "utf8");
}
