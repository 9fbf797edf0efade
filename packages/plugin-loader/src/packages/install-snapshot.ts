import { HaftError } from "@haft/core";
import { readRegularFile, replaceFile, systemReason } from "@haft/system";
import { makeFolder as makeMissing } from "@haft/utils";
import { existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pluginLoaderError } from "../errors.ts";

/** Bytes. */
const LARGEST = 256 * 1024 * 1024;

/** Package managers change these. */
const CHANGED = [
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "yarn.lock",
  ".yarnrc.yml",
  ".pnp.cjs",
  ".pnp.loader.mjs",
  "bun.lock",
  "bun.lockb",
];

/**
 * Stores `package.json` and lockfiles of folders at its construction.
 *
 * @example
 * ```ts
 * import { InstallSnapshot } from "@haft/plugin-loader/internal/plugins";
 * const before = new InstallSnapshot(["/etc/agent"]);
 * // … an installation that fails
 * if (before.changed) before.restore();
 * ```
 */
export class InstallSnapshot {
  readonly #before: ReadonlyMap<string, { content: Buffer; mode: number } | undefined>;
  readonly #hadPackages: ReadonlyMap<string, boolean>;

  /** @param folders Absolute paths. */
  constructor(folders: readonly string[]) {
    const paths = folders.flatMap((folder) => CHANGED.map((name) => join(folder, name)));
    this.#before = new Map(
      paths.map((path) => [
        path,
        existsSync(path)
          ? { content: readStoredContent(path), mode: grantedToAll(statSync(path).mode) }
          : undefined,
      ]),
    );
    this.#hadPackages = new Map(
      folders.map((folder) => [join(folder, "node_modules"), existsSync(join(folder, "node_modules"))]),
    );
  }

  /** States whether a file has changed. */
  get changed(): boolean {
    return [...this.#before].some(([path, before]) => !isSame(path, before?.content));
  }

  /** Restores the files. New files are removed, also a new `node_modules`. */
  restore(): void {
    for (const [path, before] of this.#before) {
      if (isSame(path, before?.content)) continue;
      if (before === undefined) rmSync(path, { force: true });
      else writePackageFile(path, before.content, before.mode);
    }
    for (const [path, hadPackages] of this.#hadPackages)
      if (!hadPackages) rmSync(path, { recursive: true, force: true });
  }

  /** States whether any folder had a `node_modules`. */
  get hadPackages(): boolean {
    return [...this.#hadPackages.values()].includes(true);
  }
}

/** Removes rights that only the group has, because access lists change the meaning of the group bits. */
function grantedToAll(mode: number): number {
  const others = mode & 0o007;
  return (mode & 0o700) | (others << 3) | others;
}

function isSame(path: string, before: Buffer | undefined): boolean {
  if (!existsSync(path)) return before === undefined;
  return before !== undefined && readStoredContent(path).equals(before);
}

/** Follows links. @throws like `readRegularFile` */
export function readStoredContent(path: string): Buffer {
  return readRegularFile(path, { maxBytes: LARGEST, followLink: true });
}

/** @throws HaftError `FILE_UNWRITABLE` */
export function makePackageFolder(path: string): void {
  try {
    makeMissing(path, 0o700);
  } catch (thrown) {
    throw unusable(path, thrown);
  }
}

function unusable(path: string, thrown: unknown): HaftError {
  return pluginLoaderError("FILE_UNWRITABLE", `${path} cannot be written: ${systemReason(thrown)}.`, {
    cause: thrown,
    ...getDiskFullFix(thrown),
  });
}

/**
 * Writes a file completely or not at all, and creates its folder. An existing file keeps owner and mode.
 *
 * @param mode Of a new file. Default `0o600`: for this user alone.
 * @throws HaftError `FILE_UNWRITABLE`
 * @example
 * ```ts run
 * import { readFileSync } from "node:fs";
 * import { writePackageFile } from "@haft/plugin-loader/internal/plugins";
 * writePackageFile("agent/package.json", '{ "private": true }\n');
 * readFileSync("agent/package.json", "utf8"); // => '{ "private": true }\n'
 * ```
 */
export function writePackageFile(path: string, content: string | Buffer, mode = 0o600): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  try {
    makePackageFolder(dirname(real));
    replaceFile(real, content, { mode });
  } catch (thrown) {
    throw HaftError.is(thrown) ? thrown : unusable(real, thrown);
  }
}

/**
 * Returns the fix for a full disk or quota, for a `HaftError`. Returns an empty object for other errors.
 *
 * @example
 * ```ts run
 * import { getDiskFullFix } from "@haft/plugin-loader/internal/plugins";
 * getDiskFullFix(Object.assign(new Error("permission denied"), { code: "EACCES" })); // => {}
 * ```
 */
export function getDiskFullFix(thrown: unknown): { fix?: string } {
  const { code } = Object(thrown) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT"
    ? { fix: "Free disk space and run the command again. The files are unchanged." }
    : {};
}
