import { isBuiltin } from "node:module";

const specifiers = [
  /\b(?:import|export)\s[^"'`;]*?\bfrom\s*["']([^"']+)["']/g,
  // Not the end of a text that is "import".
  /(?<!["'])\bimport\s*["']([^"']+)["']/g,
  /\bimport\(\s*["']([^"']+)["']/g,
];

/** What built code or declarations import, as it is written there. */
export function importedSpecifiers(code: string): string[] {
  const withoutComments = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  return specifiers.flatMap((pattern) =>
    [...withoutComments.matchAll(pattern)].map(([, specifier = ""]) => specifier),
  );
}

/** The packages that built code or declarations import by name, `node:` aside. */
export function importedPackages(code: string): string[] {
  const named = importedSpecifiers(code).filter(
    (specifier) => !/^[./#]/.test(specifier) && !isBuiltin(specifier),
  );
  return [...new Set(named.map(packageOf))];
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
