import { isBuiltin } from "node:module";

const specifiers = [
  /\b(?:import|export)\s[^"'`;]*?\bfrom\s*["']([^"']+)["']/g,
  // Excludes texts that end with "import".
  /(?<!["'])\bimport\s*["']([^"']+)["']/g,
  /\bimport\(\s*["']([^"']+)["']/g,
];

export function importedSpecifiers(code: string): string[] {
  const withoutComments = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return specifiers.flatMap((pattern) =>
    [...withoutComments.matchAll(pattern)].map(([, specifier = ""]) => specifier),
  );
}

/** The imported packages, without `node:`. */
export function importedPackages(code: string): string[] {
  const named = importedSpecifiers(code).filter(
    (specifier) => !/^[./#]/.test(specifier) && !isBuiltin(specifier),
  );
  return [...new Set(named.map(packageOf))];
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
