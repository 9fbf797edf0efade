import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Licences missing in their packages' tarballs. */
const LICENCES: Readonly<Record<string, string>> = { "@xterm/headless": "xterm.txt" };

/** ASCII for typographic characters. */
const SIGNS: Readonly<Record<string, string>> = {
  "“": '"',
  "”": '"',
  "‘": "'",
  "’": "'",
  "–": "-",
  "—": "-",
  "©": "(c)",
};

/**
 * Returns bundled code's licence notice in ASCII, because other characters double the engine's memory for the
 * file.
 *
 * @throws for a missing licence or unknown character
 */
export function readLicenceText(name: string, folder: string): string {
  const text = readFileSync(licenceOf(name, folder), "utf8").replaceAll(/[^\0-\x7F]/g, (sign) => {
    const plain = SIGNS[sign];
    // Names must not change.
    if (plain === undefined) throw new Error(`The licence of ${name} has ${sign}, for which nothing stands.`);
    return plain;
  });
  return `/*! Contains ${name}.\n${text}*/`;
}

/** Collects licences of modules outside the repository. */
export function collectLicences(ids: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const id of ids) {
    const [folder, of] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
    if (folder !== undefined && of !== undefined) found.set(of, readLicenceText(of, folder));
  }
  return [...found.values()];
}

function licenceOf(name: string, folder: string): string {
  const kept = LICENCES[name];
  if (kept !== undefined) return join(dirname(import.meta.dirname), "licences", kept);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return join(folder, file);
}
