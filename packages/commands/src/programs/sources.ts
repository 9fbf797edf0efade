import { posix } from "node:path";
import { locateFile, tableNames } from "../names.ts";
import type { Carrier } from "./carrier.ts";

/** Files of its folder that say what a program does. */
interface Deciding {
  /** Names, separated by spaces: of each group the first that is there counts. */
  files: readonly string[];
  /** It looks in the folders above as well. */
  up?: true;
}

const MAKE: Deciding = { files: ["GNUmakefile makefile Makefile"] };
const NPM: Deciding = { files: ["package.json", ".npmrc"], up: true };
const PYTHON: Deciding = { files: ["pyproject.toml", "setup.cfg", "setup.py"] };
const PYTEST: Deciding = {
  files: ["pytest.ini .pytest.ini pyproject.toml tox.ini setup.cfg", "conftest.py"],
};
const GRADLE: Deciding = {
  files: [
    "settings.gradle settings.gradle.kts",
    "build.gradle build.gradle.kts",
    "gradle/wrapper/gradle-wrapper.properties",
    "gradle.properties",
  ],
};
const MAVEN: Deciding = { files: ["pom.xml", ".mvn/extensions.xml", ".mvn/jvm.config", ".mvn/maven.config"] };
const COMPOSE = "compose.yaml compose.yml docker-compose.yml docker-compose.yaml";

const DECIDING: Readonly<Record<string, Deciding>> = {
  make: MAKE,
  gmake: MAKE,
  bmake: { files: ["makefile Makefile"] },
  pmake: { files: ["makefile Makefile"] },
  ninja: { files: ["build.ninja"] },
  samu: { files: ["build.ninja"] },
  cmake: { files: ["CMakeLists.txt", "CMakePresets.json", "CMakeCache.txt"] },
  ctest: { files: ["CTestTestfile.cmake", "CTestConfig.cmake"] },
  meson: { files: ["meson.build"] },
  scons: { files: ["SConstruct Sconstruct sconstruct SConstruct.py"] },
  waf: { files: ["wscript"] },
  bazel: { files: ["MODULE.bazel WORKSPACE.bazel WORKSPACE", "BUILD.bazel BUILD", ".bazelrc"], up: true },
  just: { files: ["justfile .justfile Justfile JUSTFILE"], up: true },
  task: {
    files: [
      "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml",
    ],
    up: true,
  },
  mage: { files: ["magefile.go"] },
  rake: { files: ["rakefile Rakefile rakefile.rb Rakefile.rb"], up: true },
  invoke: { files: ["tasks.py", "tasks/__init__.py"], up: true },
  nox: { files: ["noxfile.py"] },
  tox: { files: ["tox.ini setup.cfg pyproject.toml tox.toml"] },
  npm: NPM,
  pnpm: { files: ["package.json", ".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"], up: true },
  yarn: { files: ["package.json", ".yarnrc.yml", ".yarnrc", ".npmrc"], up: true },
  bun: { files: ["package.json", "bunfig.toml"], up: true },
  npx: NPM,
  deno: { files: ["deno.json deno.jsonc", "package.json"], up: true },
  nx: { files: ["nx.json", "project.json", "package.json"], up: true },
  turbo: { files: ["turbo.json turbo.jsonc", "package.json"], up: true },
  lerna: { files: ["lerna.json", "package.json"], up: true },
  gulp: { files: ["gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts"] },
  grunt: { files: ["Gruntfile.js Gruntfile.cjs Gruntfile.coffee"] },
  cargo: {
    files: ["Cargo.toml", "build.rs", ".cargo/config.toml .cargo/config", "rust-toolchain.toml"],
    up: true,
  },
  go: { files: ["go.mod", "go.work"], up: true },
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN,
  ant: { files: ["build.xml"] },
  sbt: { files: ["build.sbt", "project/build.properties", "project/plugins.sbt"] },
  mill: { files: ["build.mill build.sc"] },
  lein: { files: ["project.clj"] },
  mix: { files: ["mix.exs"] },
  rebar: { files: ["rebar.config"] },
  bundle: { files: ["Gemfile gems.rb"], up: true },
  composer: { files: ["composer.json"] },
  pip: PYTHON,
  poetry: PYTHON,
  pdm: PYTHON,
  hatch: PYTHON,
  uv: PYTHON,
  pytest: PYTEST,
  "py.test": PYTEST,
  mypy: PYTHON,
  jest: {
    files: ["package.json", "jest.config.js jest.config.ts jest.config.mjs jest.config.cjs jest.config.json"],
  },
  vitest: {
    files: [
      "vitest.config.ts vitest.config.js vitest.config.mts vitest.config.mjs vite.config.ts vite.config.js",
    ],
  },
  vite: { files: ["vite.config.ts vite.config.js vite.config.mts vite.config.mjs"] },
  webpack: { files: ["webpack.config.js webpack.config.ts webpack.config.cjs webpack.config.mjs"] },
  rollup: { files: ["rollup.config.js rollup.config.mjs rollup.config.cjs rollup.config.ts"] },
  eslint: { files: ["eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts"], up: true },
  docker: { files: [COMPOSE, "Dockerfile"] },
  podman: { files: [COMPOSE, "Containerfile Dockerfile"] },
  vagrant: { files: ["Vagrantfile"], up: true },
  "pre-commit": { files: [".pre-commit-config.yaml"] },
};

/** Options that name the folder it works in. */
const FOLDER = /^(?:-C|--directory|--prefix|--cwd|--dir|--working-directory|--project)$/;
/** Folders above in which anything is looked for. */
const MAX_UP = 40;

/**
 * Files that decide what a carrier does, by absolute paths, as far as they can be named: what its kind is known to read,
 * and every file its arguments name. Of each group the first that is there counts, so those before it have to stay away.
 */
export function sourcesOf(argv: readonly string[], cwd: string, carrier: Carrier): string[][] {
  const args = argv.slice(1);
  const own = (carrier.sources ?? []).map((group) => group.map((file) => locateFile(file, cwd)));
  // What stands behind a wrapper that is not looked through is found by its name, among the words.
  const names =
    carrier.unclear === undefined ? argv.filter((_, at) => at === 0 || argv[at - 1] === "-m") : argv;
  const kinds = new Set(names.flatMap((name) => decidingOf(name) ?? []));
  const folders = [cwd, ...foldersIn(args).map((folder) => locateFile(folder, cwd))];
  const words = carrier.unclear === undefined && kinds.size === 0 ? [] : filesIn(args);
  const groups = folders.flatMap((folder) => [
    ...[...kinds].flatMap(({ files, up }) => files.map((group) => lookedFor(group, folder, up === true))),
    ...words.map((word) => [locateFile(word, folder)]),
  ]);
  return [...own, ...groups];
}

function decidingOf(name: string): Deciding | undefined {
  const known = tableNames(name).find((one) => Object.hasOwn(DECIDING, one));
  return known === undefined ? undefined : DECIDING[known];
}

function lookedFor(group: string, folder: string, up: boolean): string[] {
  const names = group.split(" ");
  const folders = [folder];
  if (up) {
    for (let at = folder; at !== "/" && folders.length < MAX_UP;) folders.push((at = posix.dirname(at)));
  }
  return folders.flatMap((one) => names.map((name) => posix.join(one, name)));
}

function foldersIn(args: readonly string[]): string[] {
  return args.flatMap((word, at) => {
    if (FOLDER.test(word)) return args[at + 1] ?? [];
    const [, option = "", value] = /^(-C|--[\w-]+=?)(.+)$/.exec(word) ?? [];
    return value !== undefined && FOLDER.test(option.replace("=", "")) ? value : [];
  });
}

/** Words that may be files, also behind `=` and `@`, and as the value that is attached to a letter. */
export function filesIn(args: readonly string[]): string[] {
  return args
    .flatMap((word) => [
      ...(word.startsWith("-") ? [] : [word.replace(/^@/, "")]),
      ...(/^[^=]+=(.+)$/.exec(word)?.slice(1) ?? []),
      ...(/^-[a-zA-Z@]([^=-].*)$/.exec(word)?.slice(1) ?? []),
    ])
    .filter((word) => word !== "" && word.length <= 4096 && !word.includes("\n"));
}
