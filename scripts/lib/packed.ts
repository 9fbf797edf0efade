import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { requireBuilt } from "./require-built.ts";
import { root } from "./workspace.ts";

/** `npm run pack` writes it into a package's folder. */
const TARBALL = "package.tgz";

/** Returns a package's tarball; without one the script ends and names the creating command. */
export function requireTarball(folder: string): string {
  return requireBuilt(join(root, folder, TARBALL), "npm run verify:packages");
}

/** install-packed.ts describes its installation here. */
export const packedNote: string = join(root, ".haft/packed.json");

export interface PackedNote {
  /** An outside folder does not find missing dependencies in parents. */
  folder: string;
  hash: string;
}

export function readPackedNote(): PackedNote | undefined {
  if (!existsSync(packedNote)) return undefined;
  const note = JSON.parse(readFileSync(packedNote, "utf8")) as PackedNote;
  return existsSync(join(note.folder, "node_modules")) ? note : undefined;
}

export function packedFolder(): string {
  const note = readPackedNote();
  if (note === undefined) throw new Error("The packages are not installed: npm run verify:packages");
  return note.folder;
}

/** The oldest supported Node: `22.18.0`. */
export function oldestNode(): string {
  const { engines } = JSON.parse(readFileSync(join(root, "packages/haft/package.json"), "utf8")) as {
    engines: { node: string };
  };
  const [, version = ""] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
  if (version === "") throw new Error(`Which is the oldest Node of "${engines.node}"?`);
  return `${version}.0`;
}

/** Returns this machine's npm package of Node from the root's package.json. */
export function getNodePackage(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const ending = `${process.platform}-${process.arch}`;
  const name = Object.keys(optionalDependencies).find((each) => each.endsWith(ending));
  if (name === undefined) throw new Error(`There is no package with Node for ${ending}.`);
  return name;
}
