import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { requireBuilt } from "./require-built.ts";
import { root } from "./workspace.ts";

/** What `npm run pack` writes into the folder of a package. */
const TARBALL = "package.tgz";

/** Returns the tarball of a package by its folder. Without a tarball the script ends and names the command that creates it. */
export function requireTarball(folder: string): string {
  return requireBuilt(join(root, folder, TARBALL), "npm run verify:packages");
}

/** Names the note of install-packed.ts about its installation. */
export const packedNote: string = join(root, ".haft/packed.json");

export interface PackedNote {
  /** A folder outside the repository, so that a missing dependency is not found in a parent folder. */
  folder: string;
  /** Of all that was installed. */
  hash: string;
}

export function readPackedNote(): PackedNote | undefined {
  if (!existsSync(packedNote)) return undefined;
  const note = JSON.parse(readFileSync(packedNote, "utf8")) as PackedNote;
  return existsSync(join(note.folder, "node_modules")) ? note : undefined;
}

/** The folder into which the packages were installed from their tarballs. */
export function packedFolder(): string {
  const note = readPackedNote();
  if (note === undefined) throw new Error("The packages are not installed: npm run verify:packages");
  return note.folder;
}

/** The oldest Node that the packages support, as they say themselves: `22.18.0`. */
export function oldestNode(): string {
  const { engines } = JSON.parse(readFileSync(join(root, "packages/haft/package.json"), "utf8")) as {
    engines: { node: string };
  };
  const [, version = ""] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
  if (version === "") throw new Error(`Which is the oldest Node of "${engines.node}"?`);
  return `${version}.0`;
}

/** Returns the npm package with Node for this machine, from the root's package.json. */
export function getNodePackage(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const ending = `${process.platform}-${process.arch}`;
  const name = Object.keys(optionalDependencies).find((each) => each.endsWith(ending));
  if (name === undefined) throw new Error(`There is no package with Node for ${ending}.`);
  return name;
}
