/** What one report of api-extractor says of a public surface. */
export interface Surface {
  /** Exported names. */
  exports: Set<string>;
  /** Types that are part of it and have no name outside. */
  forgotten: string[];
  /** Exports and members without a comment: their first lines. */
  undocumented: string[];
}

/** Reads a report (`etc/*.api.md`). */
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
  return {
    exports: new Set([...declared, ...again]),
    forgotten: lines.flatMap((line) => /ae-forgotten-export\) The symbol "(\w+)"/.exec(line)?.[1] ?? []),
    undocumented: lines.flatMap((line, at) =>
      /^\s*\/\/ .*\(undocumented\)$/.test(line) ? [lines[at + 1]!.trim()] : [],
    ),
  };
}
