import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "rolldown";

/**
 * What only checks documents, or tells people about them: a program that decides by rules which were checked before does without.
 * Each of their functions answers nothing there.
 */
const CHECKS =
  /\/packages\/policy\/src\/(?:read\/(?:parse-policy|check-\w+|policy-schema|shape)|review\/\w[\w-]*|rules\/(?:argument-check|check-rule|shadowed)|explain\/(?:explain|format-explanation|read-matrix))\.ts$/;

/** Those that have to answer something. */
const INSTEAD: Readonly<Record<string, string>> = {
  readPolicyConfig: "export const readPolicyConfig = ({ $schema, ...config }) => config;",
};

/** A document that was checked is taken as it is. */
export const decidesOnly: Plugin = {
  name: "decides-only",
  load: {
    filter: { id: CHECKS },
    handler(id) {
      const names = [
        ...readFileSync(id, "utf8").matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm),
      ].map(([, name]) => name!);
      return {
        code: names.map((name) => INSTEAD[name] ?? `export const ${name} = () => {};`).join("\n"),
        moduleType: "js",
      };
    },
  },
};

/** What an error means, as its catalogue says it for the page of errors: nobody reads it there. */
export const withoutMeanings: Plugin = {
  name: "without-meanings",
  load: {
    filter: { id: /\/src\/(?:\w+-)?errors\.ts$/ },
    handler: (id) => ({
      moduleType: "ts",
      code: readFileSync(id, "utf8").replaceAll(
        /\b(input|policy|operational|internal)\(\s*"(?:[^"\\]|\\.)*",/g,
        '$1("",',
      ),
    }),
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
    filter: { id: /\/src\/(?!errors\.ts$).+\.ts$/ },
    handler: (id) => {
      const taken: string[] = [];
      const code = readFileSync(id, "utf8").replaceAll(
        /const (\{[^}]*\}) = await import\(("[^"]+")\);/g,
        (whole, names: string, from: string) => {
          if (from.includes(basename(but))) return whole;
          taken.push(`import ${names} from ${from};`);
          return "";
        },
      );
      return taken.length === 0 ? null : { code: `${taken.join("\n")}\n${code}`, moduleType: "ts" };
    },
  },
});
