import { makeFolder, sha256 } from "@haft/core/internal";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../files/read-text.ts";
import { contentOf, writeWhole } from "./kept-files.ts";
import type { PackageIdentity } from "./read-archive.ts";

/** Beside a configuration: packed packages, since `package.json` and lockfile name them. */
const FOLDER = "haft-plugins";

/**
 * Copies a packed package to where it stays when the original goes. By its content, so that another one of the same version is
 * another file, which package managers then notice.
 *
 * @returns its path from `folder` on, with `./`
 */
export function keepArchive(
  folder: string,
  { path, name, version }: PackageIdentity & { path: string },
): string {
  const content = contentOf(path);
  const hash = sha256(content).slice(0, 8);
  const copy = `${stemOf(name)}-${version}-${hash}.tgz`;
  const archives = join(folder, FOLDER);
  if (!existsSync(join(archives, copy))) {
    makeFolder(archives);
    writeWhole(join(archives, copy), content);
  }
  return `./${FOLDER}/${copy}`;
}

/** Removes copies of a package that `package.json` does not name any more. */
export function sweepArchives(folder: string, name: string): void {
  const archives = join(folder, FOLDER);
  if (!existsSync(archives)) return;
  const manifest = existsSync(join(folder, "package.json")) ? readText(join(folder, "package.json")) : "";
  for (const copy of readdirSync(archives)) {
    const isOfIt =
      copy.startsWith(`${stemOf(name)}-`) &&
      /^\d.*-[0-9a-f]{8}\.tgz$/.test(copy.slice(stemOf(name).length + 1));
    if (isOfIt && !manifest.includes(copy)) rmSync(join(archives, copy), { force: true });
  }
  removeIfEmpty(archives);
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}

function stemOf(name: string): string {
  return name.replace(/^@/, "").replaceAll("/", "-");
}
