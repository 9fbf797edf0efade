import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Debian's, and what other systems call it; `undefined` where there is none on the PATH. */
const chromiumProgram: string | undefined = ["chromium", "chromium-browser", "google-chrome"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

/** Why no page can be opened here. Said once; where everything has to be there it is a failure. */
export const noBrowser: string | undefined =
  chromiumProgram === undefined ? "No chromium on the PATH: no page is opened in a browser here." : undefined;
if (noBrowser !== undefined) {
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(noBrowser);
  process.stderr.write(`${noBrowser}\n`);
}

/** Starts it, for pages of this machine. */
export function startChromium(): Promise<Browser> {
  if (chromiumProgram === undefined) throw new Error(noBrowser);
  // Root has no sandbox of the browser's own; it sees nothing but pages of this machine.
  return chromium.launch({
    executablePath: chromiumProgram,
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}
