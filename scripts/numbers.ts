import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { publicExports } from "./lib/public-exports.ts";
import { root } from "./lib/workspace.ts";

// Prints the repository's size, one number per line: `npm run --silent numbers`. `--detail` also prints each
// entry point's exports.

const text = (path: string) => readFileSync(join(root, path), "utf8");
const lines = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + text(path).split("\n").length - 1, 0);
const filesIn = (...patterns: string[]) =>
  globSync(patterns, {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name),
  }).toSorted();

const sources = filesIn("packages/*/src/**/*.{ts,tsx}", "packages/inspector/page/**/*.{ts,tsx}");
const tests = filesIn("packages/*/test/**/*.{ts,tsx}");
const command = text("docs/reference/command.md");

/** Names declared by the module itself. */
function exportedNames(path: string): string[] {
  return parseSync(path, text(path)).program.body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" || node.declaration === null) return [];
    const { declaration } = node;
    if (declaration.type === "VariableDeclaration")
      return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
    return "id" in declaration && declaration.id !== null && "name" in declaration.id
      ? [declaration.id.name]
      : [];
  });
}

/** A file of at most 12 lines that only imports and exports, except entry points. */
function isForwarding(path: string): boolean {
  if (/\/(?:index|internal)\.ts$|\/entries\/|\/src\/internal\//.test(path) || lines([path]) > 12)
    return false;
  return parseSync(path, text(path)).program.body.every(
    (node) =>
      node.type === "ImportDeclaration" ||
      node.type === "ExportAllDeclaration" ||
      (node.type === "ExportNamedDeclaration" && node.declaration === null) ||
      /^export (?:const|function) \w+[^]*?import\(/.test(text(path).slice(node.start, node.end)),
  );
}

/** Key paths of a JSON Schema: `.policy.exec.allow`. */
function keyPaths(schema: object): Set<string> {
  const paths = new Set<string>();
  const walk = (node: unknown, path: string, depth: number): void => {
    if (typeof node !== "object" || node === null || depth > 12) return;
    const { $ref, properties, additionalProperties, items, ...rest } = node as Record<string, never>;
    if ($ref !== undefined)
      walk(
        String($ref)
          .replace(/^#\//, "")
          .split("/")
          .reduce((at: never, key) => at?.[key], schema as never),
        path,
        depth + 1,
      );
    for (const key of ["anyOf", "oneOf", "allOf"])
      for (const each of (rest[key] ?? []) as unknown[]) walk(each, path, depth + 1);
    for (const [key, part] of Object.entries(properties ?? {})) {
      paths.add(`${path}.${key}`);
      walk(part, `${path}.${key}`, depth + 1);
    }
    walk(additionalProperties, `${path}.*`, depth + 1);
    walk(items, `${path}[]`, depth + 1);
  };
  walk(schema, "", 0);
  return paths;
}

const declared = Map.groupBy(
  sources.flatMap((path) => [...new Set(exportedNames(path))]),
  (name) => name,
);
const exported = publicExports();
const rows: readonly [string, number, number][] = [
  ["source lines", lines(sources), 145_000],
  ["test lines", lines(tests), 95_000],
  ["error codes", [...text("docs/reference/errors.md").matchAll(/^\| `[A-Z]/gm)].length, 250],
  ["commands", new Set([...command.matchAll(/^## haft ([a-z]+)/gm)].map(([, name]) => name)).size, 16],
  ["command-line options", new Set(command.replace(/<!--.*?-->/s, "").match(/--[a-z][a-z-]+/g)).size, 90],
  ["configuration keys", keyPaths(JSON.parse(text("packages/haft/config.schema.json")) as object).size, 300],
  ["forwarding files of at most 12 lines", sources.filter(isForwarding).length, 0],
  ["names exported twice or more", [...declared.values()].filter((all) => all.length > 1).length, 100],
  ["public exports", exported.length, 600],
];
for (const [what, now, goal] of rows)
  console.log(`${what.padEnd(38)} ${String(now).padStart(7)}   goal ≤ ${goal}`);
if (process.argv.includes("--detail"))
  for (const [specifier, all] of Map.groupBy(exported, (each) => each.specifier))
    console.log(`  ${specifier.padEnd(36)} ${String(all.length).padStart(7)}`);
