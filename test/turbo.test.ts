import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

// What is served from the cache has to be what would be made now. This asks turbo what it looks at.
const root = join(import.meta.dirname, "..");

interface Task {
  taskId: string;
  directory: string;
  command: string;
  /** Relative to the package's folder. */
  inputs: Record<string, string>;
  resolvedTaskDefinition: { cache: boolean };
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
/** What a package runs whose build takes more than a line. */
const OWN_BUILD = "sh build.sh";
const everyTask = /turbo run (.+)/.exec(manifest.scripts["check"]!)![1]!.split(" ");
const tasks = tasksOf(everyTask);

/** Input files of a task, relative to the root. */
const inputsOf = ({ directory, inputs }: Task) =>
  Object.keys(inputs).map((path) => relative(root, join(root, directory, path)));

test("builds and checks of packages hash every script they could run", () => {
  const scripts = globSync("scripts/**/*.{ts,mjs}", { cwd: root });
  expect(scripts).toContain("scripts/bundle.ts");
  const running = tasks.filter(({ command }) => command.includes("/scripts/") || command === OWN_BUILD);
  expect(running.length).toBeGreaterThan(15);
  const without = (task: Task) => scripts.filter((path) => !inputsOf(task).includes(path));
  expect(running.flatMap((task) => without(task).map((path) => `${task.taskId} without ${path}`))).toEqual(
    [],
  );
});

test("a build that is a script of the package hashes that script", () => {
  const built = tasks.filter(({ command }) => command === OWN_BUILD);
  expect(built.map(({ taskId }) => taskId)).toEqual(["@haft/mcp#build", "haft#build"]);
  for (const task of built) expect(Object.keys(task.inputs)).toContain("build.sh");
});

test("nothing that runs tests, or looks at this machine, is served from a cache", () => {
  const cached = tasks.filter(({ resolvedTaskDefinition }) => resolvedTaskDefinition.cache);
  const runs = /vitest|scripts\/(test|verify|install)-(?!package\.ts)|src\/main/;
  expect(cached.map(({ command }) => command).filter((command) => runs.test(command))).toEqual([]);
  const script = manifest.scripts["test"]!;
  expect(readFileSync(join(root, script), "utf8")).toMatch(/exec vitest run "\$@"'$/m);
  expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("TURBO_CACHE=local:,remote:");
});

test("every package has every check", () => {
  const made = tasks.filter(({ command }) => command !== "<NONEXISTENT>");
  const names = (task: string) => made.filter(({ taskId }) => taskId.endsWith(`#${task}`)).length;
  const packages = globSync("packages/*/package.json", { cwd: root }).length;
  expect([names("build"), names("verify"), names("pack")]).toEqual([packages, packages, packages]);
});

function tasksOf(names: readonly string[]): Task[] {
  const turbo = join(root, "node_modules/.bin/turbo");
  const answer = execFileSync(turbo, ["run", ...names, "--dry=json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { tasks: found } = JSON.parse(answer) as { tasks: Task[] };
  return found;
}
