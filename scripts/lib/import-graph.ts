import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { root } from "./workspace.ts";

/** An import, a re-export or an import in types. */
export interface Import {
  specifier: string;
  /** Erased at run time. */
  isType: boolean;
}

/** Returns imports of values, types and dynamic modules. */
export function readImports(path: string, source: string = readFileSync(join(root, path), "utf8")): Import[] {
  const found: Import[] = [];
  const add = (specifier: unknown, isType: boolean) => {
    if (typeof specifier === "string") found.push({ specifier, isType });
  };
  new Visitor({
    ImportDeclaration({ source: from, importKind, specifiers }) {
      const isType =
        importKind === "type" ||
        (specifiers.length > 0 &&
          specifiers.every((each) => each.type === "ImportSpecifier" && each.importKind === "type"));
      add(from.value, isType);
    },
    ExportNamedDeclaration({ source: from, exportKind }) {
      add(from?.value, exportKind === "type");
    },
    ExportAllDeclaration({ source: from, exportKind }) {
      add(from.value, exportKind === "type");
    },
    ImportExpression({ source: from }) {
      if (from.type === "Literal") add(from.value, false);
    },
    TSImportType({ source: from }) {
      add(from.value, true);
    },
  }).visit(parseSync(path, source).program);
  return found;
}

/** Resolves a relative import from the root; `undefined` for a package. */
export function resolveImport(importer: string, specifier: string): string | undefined {
  return specifier.startsWith(".") ? normalize(join(dirname(importer), specifier)) : undefined;
}

/** Maps every source file to its relative imports. */
export function sourceGraph(): Map<string, Set<string>> {
  const files = globSync("{{packages,apps}/*/src,scripts,bench,test}/**/*.ts", {
    cwd: root,
    exclude: ["**/node_modules/**"],
  }).toSorted();
  return new Map(
    files.map((path) => [
      path,
      new Set(readImports(path).flatMap(({ specifier }) => resolveImport(path, specifier) ?? [])),
    ]),
  );
}

/** Groups of mutually reachable nodes (Tarjan). */
export function findCycles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) cycles.push(group.toSorted());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles;
}
