import type { Manager, PackagePlan } from "../plan.ts";
import { TOOLS, toToolFileName, pluginSource, testSource, toolSource } from "./tool.ts";

export interface TemplateOptions {
  manager: Manager;
  /** Version of Haft's packages: that of this package. */
  version: string;
  /** Package → source to install instead, for unpublished packages. */
  packages?: Readonly<Record<string, string>> | undefined;
}

/** Packages for tests of three kinds of sessions, and the command. */
const HAFT = ["@haft/plugin-sdk", "@haft/policy", "@haft/sandbox", "@haft/workspace", "haft"];
/** Current at writing; `npm outdated` shows newer versions. */
const TYPESCRIPT = "^7.0.2";
const NODE_TYPES = "^22.18.0";
/** A peer of the SDK, for `testPlugin`. */
const FAST_CHECK = "^4.10.2";
const CHANGESETS = "@changesets/cli@3";

/** Returns all files by path. */
export function templateFiles(plan: PackagePlan, options: TemplateOptions): Record<string, string> {
  const file = toToolFileName(plan.tool);
  return {
    "package.json": json(manifest(plan, options)),
    ...(options.manager === "pnpm" &&
      options.packages !== undefined && { "pnpm-workspace.yaml": json({ overrides: options.packages }) }),
    "tsconfig.json": json(TSCONFIG),
    "tsconfig.build.json": json(TSCONFIG_BUILD),
    "src/index.ts": pluginSource(plan),
    [`src/${file}.ts`]: toolSource(plan),
    [`test/${file}.test.ts`]: testSource(plan),
    "README.md": readme(plan, options.manager),
    LICENSE: licence(plan),
    ".gitignore": "node_modules\ndist\n*.tgz\n",
    ".changeset/config.json": json(CHANGESET_CONFIG),
    ".changeset/first-release.md": `---\n${JSON.stringify(plan.name)}: minor\n---\n\nThe first release.\n`,
    ".github/workflows/ci.yml": ciWorkflow(options.manager),
    ".github/workflows/release.yml": releaseWorkflow(options.manager),
  };
}

function manifest(plan: PackagePlan, { version, packages, manager }: TemplateOptions): object {
  const own = `^${version}`;
  const haft = Object.fromEntries(HAFT.map((name) => [name, packages?.[name] ?? own]));
  // All unpublished packages need overrides; pnpm has its own file for that.
  const others = manager === "pnpm" ? {} : packages;
  const developing = {
    ...others,
    ...haft,
    "@types/node": NODE_TYPES,
    "fast-check": FAST_CHECK,
    typescript: TYPESCRIPT,
  };
  return {
    name: plan.name,
    version: "0.0.0",
    description: plan.description,
    keywords: ["haft-plugin"],
    license: "MIT",
    type: "module",
    engines: { node: ">=22.18" },
    exports: {
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./package.json": "./package.json",
    },
    files: ["dist", "haft.plugin.json"],
    scripts: {
      test: "node --test",
      typecheck: "tsc --noEmit",
      // Without old files, which would be published.
      build: `node -e "fs.rmSync('dist',{recursive:true,force:true})" && tsc -p tsconfig.build.json`,
      manifest: `${run(manager, "build")} && haft plugins manifest`,
      check: `${run(manager, "build")} && haft plugins check . --fix`,
      prepack: run(manager, "manifest"),
      changeset: `npx --yes ${CHANGESETS}`,
    },
    peerDependencies: { "@haft/plugin-sdk": own },
    devDependencies: Object.fromEntries(Object.entries(developing).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    types: ["node"],
  },
  include: ["src", "test"],
};
const TSCONFIG_BUILD = {
  extends: "./tsconfig.json",
  compilerOptions: { rootDir: "src", outDir: "dist", declaration: true },
  include: ["src"],
};
const CHANGESET_CONFIG = {
  $schema: "https://unpkg.com/@changesets/config@3/schema.json",
  changelog: "@changesets/cli/changelog",
  commit: false,
  access: "public",
  baseBranch: "main",
};

function readme({ name, description, tool, effect, id }: PackagePlan, manager: Manager): string {
  const { description: does } = TOOLS[effect];
  return `# ${name}

${description}

## Use

\`\`\`sh
npx haft plugins add ${name}
\`\`\`

Group and sandboxed sessions need a grant in the policy: \`sessions: { group: { grant: [${id}] } }\`.

| tool | description | effects |
| --- | --- | --- |
| \`${tool}\` | ${does} | ${effect} |

## Develop

| command | function |
| --- | --- |
| \`${manager} test\` | runs the tests in main, group and sandboxed sessions |
| \`${run(manager, "check")}\` | builds the package, and reports problems that users would have |
| \`${run(manager, "manifest")}\` | builds the package, and writes \`haft.plugin.json\` |
| \`${run(manager, "changeset")}\` | describes a change for the next release |

Sandboxed tests need bubblewrap (Linux) or Docker. \`npx haft tools call ${tool} '{…}' --plugin ./src/index.ts\` calls the tool once.

MIT.
`;
}

function licence({ name, year }: PackagePlan): string {
  return `MIT License

Copyright (c) ${year} the authors of ${name}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
}

/** Sets up the machine: programs for the sandbox, Node, the package manager, the packages. */
function setUp(manager: Manager, node: string): string {
  const bring: Readonly<Record<Manager, string>> = {
    npm: "",
    pnpm: "      - uses: pnpm/action-setup@v4\n        with: { version: latest }\n",
    yarn: "      - run: corepack enable\n",
    bun: "      - uses: oven-sh/setup-bun@v2\n",
  };
  return `      - uses: actions/checkout@v5
${bring[manager]}      - uses: actions/setup-node@v5
        with:
          node-version: ${node}
      # The tests in a sandbox need this. Ubuntu blocks user namespaces by default.
      - run: |
          sudo apt-get update && sudo apt-get install --yes bubblewrap
          sudo sysctl --write kernel.apparmor_restrict_unprivileged_userns=0 || true
      - run: ${manager} install
`;
}

function ciWorkflow(manager: Manager): string {
  return `name: CI
on:
  push: { branches: [main] }
  pull_request:
permissions: { contents: read }
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix: { node: [22, 24] }
    steps:
${setUp(manager, "${{ matrix.node }}")}      - run: ${run(manager, "typecheck")}
      - run: ${run(manager, "test")}
      - run: ${run(manager, "check")}
`;
}

function releaseWorkflow(manager: Manager): string {
  return `# Collects changesets in a pull request, and publishes after its merge. Before the first release, add this workflow as a
# trusted publisher in the settings of the package on npm.
name: Release
on:
  push: { branches: [main] }
permissions:
  contents: write
  pull-requests: write
  id-token: write
concurrency: release
jobs:
  release:
    runs-on: ubuntu-latest
    steps:
${setUp(manager, "24")}      - uses: changesets/action@v1
        with:
          version: npx --yes ${CHANGESETS} version
          publish: npx --yes ${CHANGESETS} publish
        env:
          GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
          NPM_CONFIG_PROVENANCE: "true"
`;
}

function run(manager: Manager, script: string): string {
  return manager === "yarn" ? `yarn ${script}` : `${manager} run ${script}`;
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
