import { isBuiltin } from "node:module";

const specifiers = [
  /\b(?:import|export)\s[^"'`;]*?\bfrom\s*["']([^"']+)["']/g,
  /\bimport\s*["']([^"']+)["']/g,
  /\bimport\(\s*["']([^"']+)["']/g,
];

/** The packages that built code or declarations import by name, `node:` aside. */
export function importedPackages(code: string): string[] {
  const withoutComments = code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
  const found = specifiers.flatMap((pattern) =>
    [...withoutComments.matchAll(pattern)].map(([, specifier = ""]) => specifier),
  );
  return [
    ...new Set(
      found.filter((specifier) => !/^[./#]/.test(specifier) && !isBuiltin(specifier)).map(packageOf),
    ),
  ];
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
