import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { Plugin } from "rolldown";
import { root } from "./workspace.ts";

/** Where the parser of shells is, which is a third of what decides. */
const parser = dirname(createRequire(join(root, "packages/commands/package.json")).resolve("unbash"));

/**
 * What stands in `$(( ))`, `(( ))` and their like is found where it ends, and never looked at: a command with it is unclear. The parser
 * takes it apart when somebody asks for its parts.
 */
export const withoutArithmetic: Plugin = {
  name: "without-arithmetic",
  load: {
    filter: { id: /\/unbash\/dist\/arithmetic-parts\.js$/ },
    handler: () => ({ code: "export const parseArithmeticWithParts = () => {};", moduleType: "js" }),
  },
};

/** The parser's tables of numbers, which no bundler looks into: each use is the number. */
export const numbersOfParser: Plugin = {
  name: "numbers-of-parser",
  transform: {
    filter: { id: /\/unbash\/dist\/[\w-]+\.js$/ },
    handler(code, id) {
      const numbers = numbersIn(readFileSync(join(parser, "lexer.js"), "utf8"));
      return code.replaceAll(/\b(?:Token|LexContext)\.[A-Z]\w*/g, (name) => {
        const number = numbers.get(name);
        if (number === undefined) throw new Error(`What is ${name} in ${id}?`);
        return number;
      });
    },
  },
};

function numbersIn(lexer: string): Map<string, string> {
  const tables = [...lexer.matchAll(/^export const (Token|LexContext) = \{([^}]*)\};$/gm)];
  if (tables.length !== 2) throw new Error("The parser of shells has its tables of numbers elsewhere.");
  return new Map(
    tables.flatMap(([, table = "", rows = ""]) =>
      [...rows.matchAll(/(\w+): (\d+),/g)].map(
        ([, name = "", number = ""]) => [`${table}.${name}`, number] as const,
      ),
    ),
  );
}

/** Names of the parser's own classes that are no part of the trees it answers with: the long ones, and those it marks. */
const internal = internalNames();

/** Those names, for a bundler that makes them short. {@link namesOfParserAlone} sees to it that nobody else has them. */
export const INTERNAL_NAMES = new RegExp(`^(?:${internal.join("|")})$`);

/** One of the names anywhere else would be made short there, too, and might be a key of what is read from a file. */
export const namesOfParserAlone: Plugin = {
  name: "names-of-parser-alone",
  transform: {
    filter: { id: { exclude: /\/unbash\/dist\// } },
    handler(code, id) {
      const [name] = new RegExp(`\\b(?:${internal.join("|")})\\b`).exec(code) ?? [];
      if (name !== undefined) throw new Error(`${id} has ${name}, a name of the parser of shells.`);
    },
  },
};

function internalNames(): string[] {
  const trees = readFileSync(join(parser, "types.d.ts"), "utf8");
  const files = readdirSync(parser).filter((name) => name.endsWith(".js"));
  const members = files.flatMap((name) =>
    Array.from(
      readFileSync(join(parser, name), "utf8").matchAll(
        /^ {4}(?:static |get |set )*(\w+)(?:\(.*\{| = .*;|;)$/gm,
      ),
      ([, member = ""]) => member,
    ),
  );
  const known = new Set(trees.match(/\w+/g));
  // Short ones could be those of anybody else; JavaScript itself looks for `toJSON`.
  const own = members.filter((name) => /^(?:_\w{4,}|[a-z]\w{13,})$/.test(name) && !known.has(name));
  if (own.length === 0) throw new Error(`${basename(parser)} has no classes as they were.`);
  return [...new Set(own)].toSorted();
}
