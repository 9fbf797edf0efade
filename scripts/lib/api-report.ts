import { join } from "node:path";
import { entryPoints, publicPackages, root, type EntryPoint, type Package } from "./workspace.ts";

/** Contains a report (`NAME.api.md`) and a model (`NAME.api.json`) of each public entry point. */
export const apiFolder: string = join(root, ".haft/api");

/** Lists public entry points and the names of their reports: `core.kernel`. */
export function publicEntryPoints(): { pkg: Package; entry: EntryPoint; name: string }[] {
  return publicPackages().flatMap((pkg) =>
    entryPoints(pkg)
      // Sibling packages use the others, which may change at any time.
      .filter(({ specifier }) => !specifier.includes("/internal"))
      .map((entry) => ({
        pkg,
        entry,
        name: entry.specifier.replace("@haft/", "").replaceAll("/", "."),
      })),
  );
}

/** The public surface of one report. */
export interface Surface {
  exports: Set<string>;
  /** Surface types without a public name. */
  forgotten: string[];
  /** Names in the exports' `extends` clauses. */
  extended: Set<string>;
  /** First lines of exports and members without a comment. */
  undocumented: string[];
}

export function readSurface(report: string): Surface {
  const lines = report.split(/\r?\n/);
  const declared = lines.flatMap(
    (line) =>
      /^export (?:declare |default )?(?:abstract )?(?:class|interface|type|function|const|let|enum|namespace) (\w+)/.exec(
        line,
      )?.[1] ?? [],
  );
  const again = lines.flatMap((line) => {
    const [, names = ""] = /^export (?:type )?\{ (.+?),? \}/.exec(line) ?? [];
    return names === "" ? [] : names.split(", ").map((name) => name.split(" as ").at(-1)!);
  });
  const bases = lines.flatMap((line) => /^export .*? extends (.+) \{/.exec(line)?.[1] ?? []);
  return {
    exports: new Set([...declared, ...again]),
    extended: new Set(bases.flatMap((base) => base.match(/\w+/g) ?? [])),
    forgotten: lines.flatMap((line) => /ae-forgotten-export\) The symbol "(\w+)"/.exec(line)?.[1] ?? []),
    undocumented: lines.flatMap((line, at) =>
      /^\s*\/\/ .*\(undocumented\)$/.test(line) ? [lines[at + 1]!.trim()] : [],
    ),
  };
}
