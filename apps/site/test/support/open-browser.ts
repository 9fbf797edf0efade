import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Debian's, and what other systems call it. */
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const program = PROGRAMS.find((path) => existsSync(path));

/** Why no browser can be started here; where all has to be there it is a failure. */
export const noBrowser: string | undefined = program === undefined ? "Chromium is not installed" : undefined;
if (noBrowser !== undefined && process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(noBrowser);

export function openBrowser(): Promise<Browser> {
  // Root has no sandbox of the browser's own; it sees nothing but pages of this machine.
  return chromium.launch({ executablePath: program!, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
