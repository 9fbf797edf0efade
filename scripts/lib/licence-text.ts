import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Packages whose tarballs do not hold their licence: their licences. */
const LICENCES: Readonly<Record<string, string>> = { "@xterm/headless": "xterm.txt" };

/** Maps typographic characters in licences to ASCII. */
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
 * Returns the licence notice for bundled code of an installed package, in ASCII: with another character the engine stores two bytes for
 * each character of the file.
 *
 * @throws for a package without a licence, and for an unknown character
 */
export function readLicenceText(name: string, folder: string): string {
  const text = readFileSync(licenceOf(name, folder), "utf8").replaceAll(/[^\0-\x7F]/g, (sign) => {
    const plain = SIGNS[sign];
    // For example in a person's name, which must not change.
    if (plain === undefined) throw new Error(`The licence of ${name} has ${sign}, for which nothing stands.`);
    return plain;
  });
  return `/*! Contains ${name}.\n${text}*/`;
}

/** The same of all modules, by their paths, that are not of the repository. */
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
