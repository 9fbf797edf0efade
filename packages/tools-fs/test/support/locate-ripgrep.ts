import { execFileSync } from "node:child_process";

/** Where ripgrep is; without it what it would be asked for is not compared, which is an error where all services must be there. */
export function locateRipgrep(): string | undefined {
  try {
    return execFileSync("which", ["rg"], { encoding: "utf8" }).trim();
  } catch {
    const message = "ripgrep is not installed: its answers were not compared with ours.";
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(message);
    process.stderr.write(`${message}\n`);
    return undefined;
  }
}
