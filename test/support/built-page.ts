import { execFile } from "node:child_process";
import { closeSync, existsSync, globSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const inspector = join(import.meta.dirname, "../../packages/inspector");

/** Milliseconds after which a build that says nothing more is taken for one that was killed. */
const STALE_MS = 120_000;

/**
 * The inspector serves its page from a build: it is made where there is none, or one of before the last change. Test files run in
 * processes beside each other: one of them builds, into a folder of its own that takes the place of the page when all of it is there.
 */
export async function buildPage(): Promise<void> {
  const lock = join(inspector, "dist/page.building");
  mkdirSync(join(inspector, "dist"), { recursive: true });
  while (!isBuilt()) {
    if (!claim(lock)) {
      await sleep(100);
      continue;
    }
    try {
      // Another one may have ended just now.
      if (!isBuilt()) await build();
    } finally {
      rmSync(lock, { force: true });
    }
    return;
  }
}

function isBuilt(): boolean {
  const built = join(inspector, "dist/page/index.html");
  const changed = globSync(["page/**/*.*", "package.json"], { cwd: inspector }).map(
    (path) => statSync(join(inspector, path)).mtimeMs,
  );
  const made = statSync(built, { throwIfNoEntry: false });
  return made !== undefined && made.mtimeMs > Math.max(...changed);
}

function claim(lock: string): boolean {
  const held = statSync(lock, { throwIfNoEntry: false });
  if (held !== undefined && Date.now() - held.mtimeMs > STALE_MS) rmSync(lock, { force: true });
  try {
    closeSync(openSync(lock, "wx"));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  }
}

/** The page that is served is made last: {@link isBuilt} goes by it. */
async function build(): Promise<void> {
  const vite = join(inspector, "node_modules/vite/bin/vite.js");
  for (const name of ["export", "page"]) {
    const [built, fresh, old] = [name, `${name}.new-${process.pid}`, `${name}.old-${process.pid}`].map(
      (one) => join(inspector, "dist", one),
    ) as [string, string, string];
    const mode = name === "export" ? "export" : "production";
    const args = [
      vite,
      "build",
      "page",
      "--logLevel",
      "warn",
      "--mode",
      mode,
      "--outDir",
      fresh,
      "--emptyOutDir",
    ];
    await promisify(execFile)(process.execPath, args, { cwd: inspector });
    if (existsSync(built)) renameSync(built, old);
    renameSync(fresh, built);
    rmSync(old, { recursive: true, force: true });
  }
}
