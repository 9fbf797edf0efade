import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** The wrappers are the real ones: they have to start what stands behind them. */
const REAL = ["env", "nice", "stdbuf", "timeout"];

/** Real shells of this system, by their paths. `sh` always is there. */
export const SHELLS: readonly string[] = ["sh", "bash"].flatMap((name) => {
  const folders = (process.env["PATH"] ?? "").split(":");
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (path !== undefined) return [path];
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1")
    throw new Error(`This must run here, but there is no ${name}.`);
  process.stderr.write(`No ${name} here, so nothing is compared with it.\n`);
  return [];
});

/** A folder with programs that do nothing but write down that they were started, and with which words. */
export interface Machine {
  cwd: string;
  /** Where a name of `programs` is. */
  executableOf: (program: string) => string;
  /** Runs it, and answers what was started: absolute paths for names with a `/`. */
  run: (file: string, args: readonly string[]) => string[][];
  close: () => void;
}

export function createMachine(names: Iterable<string>): Machine {
  const root = mkdtempSync(join(tmpdir(), "haft-commands-"));
  const [cwd, bin, log] = [join(root, "work"), join(root, "bin"), join(root, "log")];
  for (const folder of [cwd, join(cwd, "sub"), bin, log]) mkdirSync(folder, { recursive: true });
  const marker = join(root, "marker");
  // Lines write and read these, so patterns find the same names in every run.
  for (const name of ["in", "out"]) writeFileSync(join(cwd, name), "");
  writeFileSync(marker, `#!/bin/sh\nprintf '%s\\0' "$0" "$@" > '${log}'/$$\n`);
  chmodSync(marker, 0o755);
  for (const name of REAL) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  // Few systems have the program; it passes on what it is given.
  writeFileSync(join(bin, "time"), '#!/bin/sh\n[ "$1" = -p ] && shift\nexec "$@"\n', { mode: 0o755 });
  // A shell runs a text, and only records other calls.
  for (const path of SHELLS) {
    const record = `printf '%s\\0' "$0" "$@" > '${log}'/$$`;
    const shell = `#!/bin/sh\nfor word; do case $word in -*c) exec ${path} "$@";; -*) ;; *) break;; esac; done\n${record}\n`;
    writeFileSync(join(bin, basename(path)), shell, { mode: 0o755 });
  }
  for (const name of new Set(names)) {
    const path = name.includes("/") ? resolve(cwd, name) : join(bin, name);
    if (
      REAL.includes(name) ||
      SHELLS.some((shell) => basename(shell) === name) ||
      name === "time" ||
      name.startsWith("/")
    )
      continue;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(marker, path);
  }
  return {
    cwd,
    executableOf: (program) => (program.includes("/") ? program : join(bin, program)),
    run: (file, args) => {
      for (const entry of readdirSync(log)) rmSync(join(log, entry));
      const { error } = spawnSync(file, args, {
        cwd,
        env: { PATH: bin },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 60_000,
      });
      if (error !== undefined) throw error;
      return readdirSync(log)
        .map((entry) => readFileSync(join(log, entry), "utf8").split("\0").slice(0, -1))
        .map(([program = "", ...rest]) => [
          program.startsWith(bin) ? program.slice(bin.length + 1) : resolve(cwd, program),
          ...rest,
        ])
        .toSorted((a, b) => (a.join("\0") < b.join("\0") ? -1 : 1));
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
