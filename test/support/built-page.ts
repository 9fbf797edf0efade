import { execFile } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const inspector = join(import.meta.dirname, "../../packages/inspector");

/** The inspector serves its page from a build: it is made where there is none, or one of before the last change. */
export async function buildPage(): Promise<void> {
  const built = join(inspector, "dist/page/index.html");
  const changed = globSync(["page/**/*.*", "package.json"], { cwd: inspector }).map(
    (path) => statSync(join(inspector, path)).mtimeMs,
  );
  if (existsSync(built) && statSync(built).mtimeMs > Math.max(...changed)) return;
  const vite = join(inspector, "node_modules/vite/bin/vite.js");
  await promisify(execFile)(process.execPath, [vite, "build", "page", "--logLevel", "warn"], {
    cwd: inspector,
  });
}
