import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findCycles, resolveImport, readImports, sourceGraph } from "../scripts/lib/import-graph.ts";
import { codeBlocks } from "../scripts/lib/markdown.ts";
import { newerSyntax } from "../scripts/lib/newer-syntax.ts";

// The rules for folders, files and names in packages. ARCHITECTURE.md has the map of packages, each README the content of folders.
const root = join(import.meta.dirname, "..");

/** The folders in `src/` of each package, the lowest first: a folder imports only from folders before it. The README lists their content. */
const ROOMS: Readonly<Record<string, string>> = {
  adapters:
    "results schema incoming outgoing openai anthropic gemini ai-sdk openai-agents langchain mastra pi openclaw",
  chat: "model agent conversation terminal",
  commands: "words git programs file-writes read",
  core: "contract ports parameters patterns scan format compose approvals kernel explain session bound entries",
  "create-haft-plugin": "template",
  config: "boundary settings trust document audit entries",
  "plugin-loader": "describe packages manifest load trial open install check entries",
  host: "approvals nodes sandbox bound contained telemetry snapshots processes mcp host entries",
  history: "ledger replay review entries",
  haft: "cli",
  "haft-plugin-web": "markdown",
  inspector: "wire source guard events server host",
  "plugin-sdk": "testing",
  policy: "text patterns read rules decide explain review",
  sandbox:
    "mounts host-sockets isolation launch programs bubblewrap view shell-runner docker sandbox-runtime ssh network session contained node",
  guard:
    "contract calls subjects agents decide approvals clients rules settings servers install import learn hook entries",
  mcp: "serve mount",
  otel: "",
  nodes: "contract keys node offer local link nats host tool",
  store: "approvals sqlite nats testing",
  "tools-exec": "output sessions keys plan exec bash process bound",
  "tools-fs":
    "content scheduling paths lines changes apply-patch edit images lookup find grep ls read write compat bound",
  utils: "",
  system: "programs processes files access entries",
  workspace: "network boundary git-programs fence scan files wire run processes internal",
};

const filesOf = (...globs: string[]) =>
  globSync(globs, { cwd: root, withFileTypes: true, exclude: ["**/node_modules/**"] })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted((a, b) => a.localeCompare(b));
const files = filesOf("packages/*/src/**", "packages/inspector/page/**");
/** Programs around the packages. */
const programs = filesOf("{apps/*/src,scripts,bench,test}/**/*.{ts,mjs}");
const graph = sourceGraph();
const inPackages = [...graph].filter(([path]) => path.startsWith("packages/"));
const packageOf = (path: string) => path.split("/")[1]!;
/** A folder of `src/`, or a file directly in it. */
const roomOf = (path: string) => path.split("/")[3]!;

test("no folder has more than 15 files", () => {
  const folders = Map.groupBy(files, dirname);
  const full = [...folders].filter(([, all]) => all.length > 15);
  expect(full.map(([folder, all]) => `${folder} has ${all.length}`)).toEqual([]);
});

test("no file has more than 400 lines, shell scripts aside", () => {
  const long = [...files, ...programs].flatMap((path) => {
    const lines = readFileSync(join(root, path), "utf8").split("\n").length - 1;
    return lines > 400 && !path.endsWith(".sh") ? [`${path} has ${lines}`] : [];
  });
  expect(long).toEqual([]);
});

test("no code uses Node's recursive mkdir, which never ends below /proc", () => {
  const making = files.flatMap((path) => {
    const found = /\bmkdir(?:Sync)?\([^;]*\brecursive: true/.exec(readFileSync(join(root, path), "utf8"));
    return found === null ? [] : [`${path}: take makeFolder of @haft/utils`];
  });
  // Run from a checkout alone.
  expect(making.filter((each) => !each.startsWith("packages/workspace/src/wire/runner-program.ts"))).toEqual(
    [],
  );
});

test("published code is written for the oldest Node", () => {
  expect(
    files.flatMap((path) =>
      path.endsWith(".ts") && path.includes("/src/")
        ? newerSyntax(readFileSync(join(root, path), "utf8")).map((what) => `${path}: ${what}`)
        : [],
    ),
  ).toEqual([]);
});

test("no file has the name of a folder in the same folder", () => {
  const folders = new Set(files.map(dirname));
  expect(files.filter((path) => folders.has(path.replace(/\.\w+$/, "")))).toEqual([]);
});

test("no files import each other, not for their types nor later", () => {
  expect(findCycles(graph).map((cycle) => cycle.join(" <-> "))).toEqual([]);
});

test("imports between the folders of a package follow the order of ROOMS", () => {
  const wrong = inPackages.flatMap(([path, imported]) => {
    const order = ROOMS[packageOf(path)]?.split(" ") ?? [];
    const place = (file: string) => order.indexOf(roomOf(file));
    return [...imported]
      .filter((file) => place(path) >= 0 && place(file) > place(path))
      .map((file) => `${path} -> ${file}`);
  });
  expect(wrong).toEqual([]);
});

test("ROOMS has every folder, and files directly in src/ are in no cycle of folders", () => {
  const rooms = new Map<string, Set<string>>();
  for (const [path, imported] of inPackages) {
    const from = `${packageOf(path)}/${roomOf(path)}`;
    const to = [...imported]
      .map((file) => `${packageOf(file)}/${roomOf(file)}`)
      .filter((each) => each !== from);
    rooms.set(from, new Set([...(rooms.get(from) ?? []), ...to]));
  }
  const folders = [...rooms.keys()].filter((room) => !room.endsWith(".ts"));
  const listed = Object.entries(ROOMS).flatMap(([name, all]) =>
    all.split(" ").flatMap((room) => (room === "" ? [] : [`${name}/${room}`])),
  );
  expect(listed.toSorted()).toEqual(folders.toSorted());
  expect(findCycles(rooms).map((circle) => circle.join(" <-> "))).toEqual([]);
});

test("documents and examples use no entry point that is not public", () => {
  const internal = /["'](@haft\/[a-z-]+\/internal[^"']*)["']/g;
  const examples = globSync("examples/*.ts", { cwd: root }).map(
    (path) => [path, readFileSync(join(root, path), "utf8")] as const,
  );
  const documents = globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).map((path) => {
    const blocks = ["ts", "ts fragment", "js"].flatMap((language) =>
      codeBlocks(readFileSync(join(root, path), "utf8"), language),
    );
    return [path, blocks.map(({ text }) => text).join("\n")] as const;
  });
  const found = [...examples, ...documents].flatMap(([path, code]) =>
    [...code.matchAll(internal)].map(([, name]) => `${path} imports ${name}`),
  );
  expect(found).toEqual([]);
});

/** Modules of tests that start a service. */
const SERVICES = [
  "packages/sandbox/test/sandbox-runtime/support.ts",
  "packages/sandbox/test/shell-runner/shells.ts",
  "packages/sandbox/test/ssh/sshd.ts",
  "packages/store/test/nats/support/nats-server.ts",
  "test/support/chromium.ts",
  "test/support/dockerd.ts",
  "test/support/mount-sshfs.ts",
];

test("npm test needs no service: a test that does has `system` or `world` in its name", () => {
  const tests = globSync(["{packages,apps}/*/test/**/*.test.ts", "test/**/*.test.ts"], {
    cwd: root,
    exclude: ["**/node_modules/**", "**/*.{system,world}.*test.ts"],
  });
  const known = new Map<string, string[]>();
  const importsIn = (path: string) => {
    const found = readImports(path)
      .filter(({ isType }) => !isType)
      .flatMap(({ specifier }) => resolveImport(path, specifier) ?? [])
      .filter((file) => file.endsWith(".ts") && !/^packages\/[^/]+\/src\//.test(file));
    known.set(path, found);
    return found;
  };
  const needs = (test: string) => {
    const seen = new Set([test]);
    for (const path of seen) for (const file of known.get(path) ?? importsIn(path)) seen.add(file);
    return SERVICES.filter((service) => seen.has(service)).map((service) => `${test} needs ${service}`);
  };
  expect(tests.length).toBeGreaterThan(300);
  expect(tests.flatMap(needs)).toEqual([]);
});

test("the root depends on every package, so that its checks run after the builds", () => {
  const manifest = (path: string) =>
    JSON.parse(readFileSync(join(root, path), "utf8")) as { name: string; devDependencies: object };
  const names = globSync("packages/*/package.json", { cwd: root }).map((path) => manifest(path).name);
  expect(Object.keys(manifest("package.json").devDependencies)).toEqual(expect.arrayContaining(names));
});

/** Words of ordinary sentences: nobody searches for them. The glossary in ARCHITECTURE.md has the terms to use. */
const FORBIDDEN_WORDS = new Set(
  "kept told tell said look looks own place places placed stand wish bell twin twins lookout ground".split(
    " ",
  ),
);
const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

test("files, folders and exported names are terms of the field", () => {
  const split = (name: string) =>
    name === name.toUpperCase() ? name.toLowerCase().split("_") : name.split(/(?=[A-Z])|_/);
  const isForbidden = (words: string[]) => words.some((word) => FORBIDDEN_WORDS.has(word.toLowerCase()));
  const all = filesOf("{packages,apps}/*/{src,page,test}/**", "{scripts,bench,test}/**/*.{ts,mjs}").filter(
    (path) => !/node_modules|\/fixtures\//.test(path),
  );
  const paths = all.filter((path) => isForbidden(path.replaceAll(/\.\w+/g, "").split(/[-/]/)));
  const names = all.flatMap((path) =>
    /\.tsx?$/.test(path)
      ? [...readFileSync(join(root, path), "utf8").matchAll(EXPORTED)]
          .map(([, name]) => name!)
          // `ParametersOf<T>` is the usual form of a type over a type.
          .filter((name) => isForbidden(split(name)) || /^[a-z]\w*[a-z]Of$/.test(name))
          .map((name) => `${path}: ${name}`)
      : [],
  );
  expect([...paths, ...names]).toEqual([]);
});
