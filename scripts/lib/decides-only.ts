import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "rolldown";

/**
 * What only checks documents, or tells people about them: a program that decides by rules which were checked before does without.
 * Each of their functions answers nothing there.
 */
const CHECKS =
  /\/packages\/policy\/src\/(?:read\/(?:parse-policy|check-\w+|policy-schema|shape)|review\/\w[\w-]*|rules\/(?:argument-check|check-rule|shadowed)|explain\/(?:explain|format-explanation|read-matrix))\.ts$/;

/** Lists of files that decide what a program does: they are empty, since a guard trusts no program by them. */
const SOURCES = /\/packages\/commands\/src\/programs\/sources\.ts$/;

/** Those that have to answer something. */
const INSTEAD: Readonly<Record<string, string>> = {
  readPolicyConfig: "export const readPolicyConfig = ({ $schema, ...config }) => config;",
};

/** A document that was checked is taken as it is. */
export const decidesOnly: Plugin = {
  name: "decides-only",
  load: {
    filter: { id: [CHECKS, SOURCES] },
    handler(id) {
      const names = [
        ...readFileSync(id, "utf8").matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm),
      ].map(([, name]) => name!);
      return {
        code: names
          .map((name) => INSTEAD[name] ?? `export const ${name} = () => ${SOURCES.test(id) ? "[]" : "{}"};`)
          .join("\n"),
        moduleType: "js",
      };
    },
  },
};

/** Errors of file operations: the program reads lists of paths by that package and shows nobody its advice. */
const OF_FILES = /\/workspace\/src\/errors\.ts$/;
const ADVICE = /\b(input|policy|operational|internal)\("",\s*"(?:[^"\\]|\\.)*"/g;

/** What an error means, as its catalogue says it for the page of errors: nobody reads it there. */
export const withoutMeanings: Plugin = {
  name: "without-meanings",
  load: {
    filter: { id: /\/src\/(?:\w+-)?errors\.ts$/ },
    handler(id) {
      const code = readFileSync(id, "utf8").replaceAll(
        /\b(input|policy|operational|internal)\(\s*"(?:[^"\\]|\\.)*",/g,
        '$1("",',
      );
      return { moduleType: "ts", code: OF_FILES.test(id) ? code.replaceAll(ADVICE, '$1("",""') : code };
    },
  },
};

/** A module, known by the name of its file, that stays in one of its own, which another run of the bundler makes. */
export function madeElsewhere(file: string, extension: string): Plugin {
  return {
    name: "made-elsewhere",
    resolveId: {
      filter: { id: /^\./ },
      handler: (id) =>
        basename(id) === basename(file)
          ? { id: `./${basename(file).replace(/\.ts$/, extension)}`, external: true }
          : null,
    },
  };
}

/** What a library imports when it is needed is a part of the one file, and is imported at its start: that makes it smaller. */
export const takenAtOnce = (but: string): Plugin => ({
  name: "taken-at-once",
  load: {
    filter: { id: /\/src\/(?!(?:\w+-)?errors\.ts$).+\.ts$/ },
    handler: (id) => {
      const code = importedAtOnce(readFileSync(id, "utf8"), but);
      return code === undefined ? null : { code, moduleType: "ts" };
    },
  },
});

/** A line that is such an import of a module of ours or of a package, and nothing else. Any other stays what it is, and loads later. */
const IMPORT = /^[ \t]+const (\{ \w+(?:, \w+)* \}) = await import\(("(?!node:)[^"\n]+")\);$/gm;

/**
 * The same source with its imports at its start; nothing where it has none.
 *
 * @param but the module, known by the name of its file, that is imported later all the same
 */
export function importedAtOnce(source: string, but: string): string | undefined {
  const taken = new Set<string>();
  const code = source.replaceAll(IMPORT, (whole, names: string, from: string) => {
    if (basename(from.slice(1, -1)) === basename(but)) return whole;
    taken.add(`import ${names} from ${from};`);
    return "";
  });
  return taken.size === 0 ? undefined : `${[...taken].join("\n")}\n${code}`;
}
