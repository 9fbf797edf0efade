import { tableNames } from "../words/names.ts";
import { same } from "../words/same.ts";

/** Files of its folder that say what a program does. */
export interface Deciding {
  /** Names, separated by spaces: of each group the first that is there counts. */
  files: readonly string[];
  /** It looks in the folders above as well. */
  up?: true;
  /** Its operands are names of targets and tasks, and perhaps of files that it makes. Else they are files that it reads. */
  targets?: true;
}

const COMPOSE = "compose.yaml compose.yml docker-compose.yml docker-compose.yaml";

const DECIDING: Readonly<Record<string, Deciding>> = {
  ...same<Deciding>(["make", "gmake"], { files: ["GNUmakefile makefile Makefile"], targets: true }),
  ...same<Deciding>(["bmake", "pmake"], { files: ["makefile Makefile"], targets: true }),
  ...same<Deciding>(["ninja", "samu"], { files: ["build.ninja"], targets: true }),
  cmake: { files: ["CMakeLists.txt", "CMakePresets.json", "CMakeCache.txt"] },
  ctest: { files: ["CTestTestfile.cmake", "CTestConfig.cmake"] },
  meson: { files: ["meson.build"] },
  scons: { files: ["SConstruct Sconstruct sconstruct SConstruct.py"] },
  waf: { files: ["wscript"] },
  bazel: {
    files: ["MODULE.bazel WORKSPACE.bazel WORKSPACE", "BUILD.bazel BUILD", ".bazelrc"],
    up: true,
    targets: true,
  },
  just: { files: ["justfile .justfile Justfile JUSTFILE"], up: true, targets: true },
  task: {
    files: [
      "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml",
    ],
    up: true,
    targets: true,
  },
  mage: { files: ["magefile.go"], targets: true },
  rake: { files: ["rakefile Rakefile rakefile.rb Rakefile.rb"], up: true, targets: true },
  invoke: { files: ["tasks.py", "tasks/__init__.py"], up: true, targets: true },
  nox: { files: ["noxfile.py"], targets: true },
  tox: { files: ["tox.ini setup.cfg pyproject.toml tox.toml"], targets: true },
  ...same<Deciding>(["npm", "npx"], { files: ["package.json", ".npmrc"], up: true, targets: true }),
  pnpm: {
    files: ["package.json", ".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"],
    up: true,
    targets: true,
  },
  yarn: { files: ["package.json", ".yarnrc.yml", ".yarnrc", ".npmrc"], up: true, targets: true },
  bun: { files: ["package.json", "bunfig.toml"], up: true },
  deno: { files: ["deno.json deno.jsonc", "package.json"], up: true },
  nx: { files: ["nx.json", "project.json", "package.json"], up: true, targets: true },
  turbo: { files: ["turbo.json turbo.jsonc", "package.json"], up: true, targets: true },
  lerna: { files: ["lerna.json", "package.json"], up: true, targets: true },
  gulp: { files: ["gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts"], targets: true },
  grunt: { files: ["Gruntfile.js Gruntfile.cjs Gruntfile.coffee"], targets: true },
  cargo: {
    files: ["Cargo.toml", "build.rs", ".cargo/config.toml .cargo/config", "rust-toolchain.toml"],
    up: true,
    targets: true,
  },
  go: { files: ["go.mod", "go.work"], up: true },
  ...same<Deciding>(["gradle", "gradlew"], {
    files: [
      "settings.gradle settings.gradle.kts",
      "build.gradle build.gradle.kts",
      "gradle/wrapper/gradle-wrapper.properties",
      "gradle.properties",
    ],
    targets: true,
  }),
  ...same<Deciding>(["mvn", "mvnw"], {
    files: ["pom.xml", ".mvn/extensions.xml", ".mvn/jvm.config", ".mvn/maven.config"],
    targets: true,
  }),
  ant: { files: ["build.xml"], targets: true },
  sbt: { files: ["build.sbt", "project/build.properties", "project/plugins.sbt"], targets: true },
  mill: { files: ["build.mill build.sc"], targets: true },
  lein: { files: ["project.clj"], targets: true },
  mix: { files: ["mix.exs"], targets: true },
  rebar: { files: ["rebar.config"] },
  bundle: { files: ["Gemfile gems.rb"], up: true },
  composer: { files: ["composer.json"] },
  ...same(["pip", "poetry", "pdm", "hatch", "uv", "mypy"], {
    files: ["pyproject.toml", "setup.cfg", "setup.py"],
  }),
  ...same(["pytest", "py.test"], {
    files: ["pytest.ini .pytest.ini pyproject.toml tox.ini setup.cfg", "conftest.py"],
  }),
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

export function decidingOf(name: string): Deciding | undefined {
  const known = tableNames(name).find((one) => Object.hasOwn(DECIDING, one));
  return known === undefined ? undefined : DECIDING[known];
}
