import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { everyImport, TWO_COPIES, LIBRARY_TYPES } from "./consumer-programs.ts";
import { PNPM } from "./program-versions.ts";
import { entryPoints, createCleanEnvironment, run, type Package } from "./workspace.ts";

export type Manager = "npm" | "pnpm";

/** Plugin authors add TypeBox, whose types must match the packages' types. */
const TYPEBOX = "@sinclair/typebox@0.34";

/** Installs all tarballs into a new project. */
export async function installPackages(
  manager: Manager,
  folder: string,
  tarballs: ReadonlyMap<string, string>,
): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const files = [...tarballs.values()];
  const options = { cwd: folder, env: createCleanEnvironment() };
  if (manager === "npm") {
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...files, TYPEBOX], options);
  } else {
    // No registry has their versions.
    const overrides = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
    writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ overrides }));
    const wanted = [...files.map((file) => `file:${file}`), TYPEBOX];
    await run("npx", ["--yes", `pnpm@${PNPM}`, "add", "--prefer-offline", ...wanted], options);
  }
  secondCopies(folder);
}

/** A third-party package with other versions brings second copies of core and SDK. */
function secondCopies(folder: string): void {
  const plugin = join(folder, "node_modules/somebody");
  for (const name of ["@haft/core", "@haft/plugin-sdk"]) {
    const to = join(plugin, "node_modules", name);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(folder, "node_modules", name), to, { recursive: true, dereference: true });
  }
  writeFileSync(
    join(plugin, "package.json"),
    '{ "name": "somebody", "type": "module", "exports": "./index.js" }\n',
  );
  writeFileSync(join(plugin, "index.js"), PLUGIN("import"));
}

/** A program to write and start in a project. */
interface Program {
  /** Returns the file's name. */
  write: (folder: string) => string;
  says: string;
}

const specifiersOf = (packages: readonly Package[]): string[] =>
  packages.flatMap(entryPoints).map(({ specifier }) => specifier);

/** Users' programs, which print a text on success. */
export function PROGRAMS(packages: readonly Package[]): Record<string, Program> {
  const specifiers = JSON.stringify(specifiersOf(packages));
  const program = (name: string, says: string, text: string): Program => ({
    says,
    write: (folder) => {
      writeFileSync(join(folder, name), text);
      return name;
    },
  });
  const empty = 'if (Object.keys(found).length === 0) throw new Error(name + " exports nothing");';
  return {
    "import of every entry point": program(
      "imports.mjs",
      "all",
      `for (const name of ${specifiers}) { const found = await import(name); ${empty} }\nconsole.log("all");\n`,
    ),
    "require() of every entry point": program(
      "requires.cjs",
      "all",
      `for (const name of ${specifiers}) { const found = require(name); ${empty} }\nconsole.log("all");\n`,
    ),
    "a host and a plugin, by import": program(
      "host.mjs",
      "Hello, Ada!",
      `${PLUGIN("import").replace("export default", "const plugin =")}${HOST("import")}`,
    ),
    "a host and a plugin, by require()": program(
      "host.cjs",
      "Hello, Ada!",
      `${PLUGIN("require").replace("module.exports =", "const plugin =")}${HOST("require")}`,
    ),
    "a plugin with a second copy of core and SDK": program(
      "copies.mjs",
      "Hello, Ada!",
      `import plugin from "somebody";\n${HOST("import")}`,
    ),
    "the same, required": program(
      "copies.cjs",
      "Hello, Ada!",
      `const { default: plugin } = require("somebody");\n${HOST("require")}`,
    ),
  };
}

type Way = "import" | "require";

const take = (way: Way, names: string, from: string): string =>
  way === "import" ? `import { ${names} } from "${from}";\n` : `const { ${names} } = require("${from}");\n`;

const PLUGIN = (
  way: Way,
): string => `${take(way, "definePlugin, defineTool, HaftError, text, Type", "@haft/plugin-sdk")}
const greet = defineTool({
  name: "greet",
  description: "Greets somebody by name.",
  parameters: Type.Object({ who: Type.String() }),
  effects: [],
  execute: async (_id, { who }) => {
    if (who === "") throw new HaftError("NOBODY", "There is nobody to greet.", { category: "input", fix: "Name somebody." });
    return { content: [text("Hello, " + who + "!")], details: {} };
  },
});
${way === "import" ? "export default" : "module.exports ="} definePlugin({ id: "greeter", tools: [greet] });
`;

/** Recognizes the other copy's error. */
const HOST = (
  way: Way,
): string => `${take(way, "createHost", "haft")}${take(way, "contentToText", "@haft/core")}
(async () => {
  const host = await createHost({ workspaceDir: process.cwd(), plugins: [plugin], stateDir: false });
  const session = await host.openSession();
  const refused = await session.call({ name: "greet", arguments: { who: "" } });
  if (refused.code !== "NOBODY") throw new Error(JSON.stringify(refused));
  console.log(contentToText((await session.call({ name: "greet", arguments: { who: "Ada" } })).content));
  await host.close();
})();
`;

/** Compiles a program of every entry point, and a plugin. */
interface CompileSetup {
  title: string;
  /** Returns whether a compiler supports it. */
  knownTo: (version: string) => boolean;
  /** Returns the project file. */
  write: (folder: string, version: string) => string;
}

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  declaration: true,
  target: "es2023",
  lib: ["es2023"],
  // Excludes all types, including Node's.
  types: [],
};

/** TypeScript 5.8 first lets CommonJS require ES modules. */
const requiresModules = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 5 || minor >= 8;
};

export function compileSetups(packages: readonly Package[]): CompileSetup[] {
  // These libraries' types do not compile in strict mode.
  const specifiers = specifiersOf(packages).filter((name) => !LIBRARY_TYPES.includes(name));
  const main = everyImport(specifiers);
  const required = specifiers
    .map((specifier, i) => `import m${i} = require("${specifier}");\nvoid m${i};\n`)
    .join("");
  const setup = (
    title: string,
    options: object,
    files: Record<string, string>,
    knownTo: (version: string) => boolean = () => true,
  ): CompileSetup => ({
    title,
    knownTo,
    write: (folder, version) => {
      const name = title.replaceAll(/\W+/g, "-");
      const written = Object.entries(files).map(([file, text]) => {
        const own = `${name}.${file}`;
        writeFileSync(join(folder, own), text);
        return own;
      });
      const compilerOptions = {
        ...STRICT,
        ...options,
        outDir: join(folder, `out-${name}-${version}`),
      };
      const project = join(folder, `tsconfig.${name}.json`);
      writeFileSync(project, JSON.stringify({ compilerOptions, files: written }));
      return project;
    },
  });
  const modules = { "main.ts": main, "plugin.ts": TWO_COPIES };
  return [
    setup("moduleResolution bundler", { module: "esnext", moduleResolution: "bundler" }, modules),
    setup("moduleResolution node16", { module: "node16", moduleResolution: "node16" }, modules),
    setup("moduleResolution nodenext", { module: "nodenext" }, modules),
    setup("nodenext, CommonJS", { module: "nodenext" }, { "main.cts": required }, requiresModules),
  ];
}
