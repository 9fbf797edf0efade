import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, type Comment, type Statement } from "oxc-parser";
import { resolveImport } from "../import-graph.ts";
import { publicPackages, root, type Package } from "../workspace.ts";

/** A declaration behind a public entry point. */
export interface PublicDeclaration {
  /** The name in its file. */
  name: string;
  path: string;
  kind: "function" | "class" | "interface" | "other";
  /** The doc comments of its parts (overloads) and members, in file order. */
  comments: DocComment[];
}

interface DocComment {
  /** The text without comment marks. */
  text: string;
  /** The start's line, from 1. */
  line: number;
  /** States whether the comment belongs to a member. */
  isInside: boolean;
}

interface Module {
  /** Exported name to its declaration, or to another file's name. */
  exports: Map<string, PublicDeclaration | { path: string; name: string }>;
  /** Files with all exports forwarded. */
  all: string[];
}

/** Each declaration of a package's public entry points once, in their order. */
export function publicDeclarations(pkg: Package): PublicDeclaration[] {
  const entries = Object.keys(pkg.manifest.exports).flatMap((subpath) =>
    subpath.startsWith("./internal") ? [] : (sourceFile(pkg.name + subpath.slice(1)) ?? []),
  );
  const found = entries.flatMap((path) =>
    listExports(path).flatMap((name) => resolveExport(path, name) ?? []),
  );
  return [...new Set(found)];
}

const modules = new Map<string, Module>();

function listExports(path: string): string[] {
  const { exports, all } = readModule(path);
  return [...exports.keys(), ...all.flatMap(listExports)];
}

function resolveExport(path: string, name: string): PublicDeclaration | undefined {
  const { exports, all } = readModule(path);
  const found = exports.get(name);
  if (found === undefined) {
    for (const each of all) {
      const declaration = resolveExport(each, name);
      if (declaration !== undefined) return declaration;
    }
    return undefined;
  }
  return "kind" in found ? found : resolveExport(found.path, found.name);
}

function readModule(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const source = readFileSync(join(root, path), "utf8");
  const { program, module, comments } = parseSync(path, source);
  const declarations = readDeclarations(path, source, program.body, comments);
  const imported = new Map(
    module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map((entry) => [
        entry.localName.value,
        { from: moduleRequest.value, name: entry.importName.name },
      ]),
    ),
  );
  const read: Module = { exports: new Map(), all: [] };
  modules.set(path, read);
  for (const { moduleRequest, importName, exportName, localName } of module.staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    const again = moduleRequest === null ? imported.get(localName.name ?? "") : undefined;
    const from = moduleRequest?.value ?? again?.from;
    const target = from === undefined ? undefined : (resolveImport(path, from) ?? sourceFile(from));
    const name = moduleRequest === null ? (again?.name ?? localName.name) : importName.name;
    if (from === undefined) {
      const declaration = declarations.get(name ?? "");
      if (declaration !== undefined) read.exports.set(exportName.name!, declaration);
    } else if (target !== undefined && name !== null)
      read.exports.set(exportName.name!, { path: target, name });
    else if (target !== undefined) read.all.push(target);
  }
  return read;
}

function sourceFile(specifier: string): string | undefined {
  const pkg = publicPackages().find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  const target = pkg?.manifest.exports[`.${specifier.slice(pkg.name.length)}`];
  const source = typeof target === "object" ? target["@haft/source"] : undefined;
  return source === undefined ? undefined : join(pkg!.folder, source);
}

function readDeclarations(path: string, source: string, body: Statement[], comments: Comment[]) {
  const found = new Map<string, PublicDeclaration>();
  for (const statement of body) {
    for (const { name, kind } of declaredNames(statement)) {
      const declaration = found.get(name) ?? { name, path, kind, comments: [] };
      // An interface may share a function's or class's name.
      if (kind === "function" || kind === "class") declaration.kind = kind;
      for (const { type, value, start, end } of comments) {
        const isBefore = end <= statement.start && source.slice(end, statement.start).trim() === "";
        const isInside = start > statement.start && end < statement.end;
        if (type !== "Block" || !value.startsWith("*") || !(isBefore || isInside)) continue;
        const text = value.slice(1).replaceAll(/^[ \t]*\* ?/gm, "");
        declaration.comments.push({ text, line: source.slice(0, start).split("\n").length, isInside });
      }
      found.set(name, declaration);
    }
  }
  return found;
}

function declaredNames(statement: Statement): { name: string; kind: PublicDeclaration["kind"] }[] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  if (declared?.type === "VariableDeclaration") {
    return declared.declarations.flatMap(({ id, init }) => {
      const kind = init?.type === "ArrowFunctionExpression" ? "function" : "other";
      return id.type === "Identifier" ? [{ name: id.name, kind }] : [];
    });
  }
  const kind = declared === null ? undefined : KINDS[declared.type];
  return kind === undefined ? [] : [{ name: (declared as { id: { name: string } }).id.name, kind }];
}

const KINDS: Partial<Record<Statement["type"], PublicDeclaration["kind"]>> = {
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "other",
};
