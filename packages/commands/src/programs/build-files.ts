import { mapNames } from "../words/map-names.ts";
import { tableNames } from "../words/names.ts";

export interface BuildFiles {
  /** Names, separated by spaces: the first existing file of each group counts. */
  files: readonly string[];
  searchesParents?: true;
  /** Its operands name targets and tasks, perhaps of files that it creates. Else they are files that it reads. */
  takesTargets?: true;
}

const COMPOSE = "compose.yaml compose.yml docker-compose.yml docker-compose.yaml";

const DECIDING: Readonly<Record<string, BuildFiles>> = {
  ...mapNames<BuildFiles>(["make", "gmake"], {
    files: ["GNUmakefile makefile Makefile"],
    takesTargets: true,
  }),
  ...mapNames<BuildFiles>(["bmake", "pmake"], { files: ["makefile Makefile"], takesTargets: true }),
  ...mapNames<BuildFiles>(["ninja", "samu"], { files: ["build.ninja"], takesTargets: true }),
  cmake: { files: ["CMakeLists.txt", "CMakePresets.json", "CMakeCache.txt"] },
  ctest: { files: ["CTestTestfile.cmake", "CTestConfig.cmake"] },
  meson: { files: ["meson.build"] },
  scons: { files: ["SConstruct Sconstruct sconstruct SConstruct.py"] },
  waf: { files: ["wscript"] },
  bazel: {
    files: ["MODULE.bazel WORKSPACE.bazel WORKSPACE", "BUILD.bazel BUILD", ".bazelrc"],
    searchesParents: true,
    takesTargets: true,
  },
  just: { files: ["justfile .justfile Justfile JUSTFILE"], searchesParents: true, takesTargets: true },
  task: {
    files: [
      "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml",
    ],
    searchesParents: true,
    takesTargets: true,
  },
  mage: { files: ["magefile.go"], takesTargets: true },
  rake: { files: ["rakefile Rakefile rakefile.rb Rakefile.rb"], searchesParents: true, takesTargets: true },
  invoke: { files: ["tasks.py", "tasks/__init__.py"], searchesParents: true, takesTargets: true },
  nox: { files: ["noxfile.py"], takesTargets: true },
  tox: { files: ["tox.ini setup.cfg pyproject.toml tox.toml"], takesTargets: true },
  ...mapNames<BuildFiles>(["npm", "npx"], {
    files: ["package.json", ".npmrc"],
    searchesParents: true,
    takesTargets: true,
  }),
  pnpm: {
    files: ["package.json", ".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs"],
    searchesParents: true,
    takesTargets: true,
  },
  yarn: {
    files: ["package.json", ".yarnrc.yml", ".yarnrc", ".npmrc"],
    searchesParents: true,
    takesTargets: true,
  },
  bun: { files: ["package.json", "bunfig.toml"], searchesParents: true },
  deno: { files: ["deno.json deno.jsonc", "package.json"], searchesParents: true },
  nx: { files: ["nx.json", "project.json", "package.json"], searchesParents: true, takesTargets: true },
  turbo: { files: ["turbo.json turbo.jsonc", "package.json"], searchesParents: true, takesTargets: true },
  lerna: { files: ["lerna.json", "package.json"], searchesParents: true, takesTargets: true },
  gulp: { files: ["gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts"], takesTargets: true },
  grunt: { files: ["Gruntfile.js Gruntfile.cjs Gruntfile.coffee"], takesTargets: true },
  cargo: {
    files: ["Cargo.toml", "build.rs", ".cargo/config.toml .cargo/config", "rust-toolchain.toml"],
    searchesParents: true,
    takesTargets: true,
  },
  go: { files: ["go.mod", "go.work"], searchesParents: true },
  ...mapNames<BuildFiles>(["gradle", "gradlew"], {
    files: [
      "settings.gradle settings.gradle.kts",
      "build.gradle build.gradle.kts",
      "gradle/wrapper/gradle-wrapper.properties",
      "gradle.properties",
    ],
    takesTargets: true,
  }),
  ...mapNames<BuildFiles>(["mvn", "mvnw"], {
    files: ["pom.xml", ".mvn/extensions.xml", ".mvn/jvm.config", ".mvn/maven.config"],
    takesTargets: true,
  }),
  ant: { files: ["build.xml"], takesTargets: true },
  sbt: { files: ["build.sbt", "project/build.properties", "project/plugins.sbt"], takesTargets: true },
  mill: { files: ["build.mill build.sc"], takesTargets: true },
  lein: { files: ["project.clj"], takesTargets: true },
  mix: { files: ["mix.exs"], takesTargets: true },
  rebar: { files: ["rebar.config"] },
  bundle: { files: ["Gemfile gems.rb"], searchesParents: true },
  composer: { files: ["composer.json"] },
  ...mapNames(["pip", "poetry", "pdm", "hatch", "uv", "mypy"], {
    files: ["pyproject.toml", "setup.cfg", "setup.py"],
  }),
  ...mapNames(["pytest", "py.test"], {
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
  eslint: {
    files: ["eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts"],
    searchesParents: true,
  },
  docker: { files: [COMPOSE, "Dockerfile"] },
  podman: { files: [COMPOSE, "Containerfile Dockerfile"] },
  vagrant: { files: ["Vagrantfile"], searchesParents: true },
  "pre-commit": { files: [".pre-commit-config.yaml"] },
};

export function findBuildFiles(name: string): BuildFiles | undefined {
  const known = tableNames(name).find((one) => Object.hasOwn(DECIDING, one));
  return known === undefined ? undefined : DECIDING[known];
}
