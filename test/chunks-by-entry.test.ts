import { build } from "rolldown";
import { expect, test } from "vitest";
import { chunksByEntry } from "../scripts/lib/chunks-by-entry.ts";

/** Modules by name: what they import at once, and what later. */
const MODULES: Record<string, { now?: string[]; later?: string[] }> = {
  index: { now: ["all", "start", "trials"], later: ["edit", "write"] },
  extra: { now: ["all", "engine", "hosts"], later: ["write"] },
  more: { now: ["start", "hosts"] },
  command: { now: ["all"], later: ["edit"] },
  worker: { now: ["all", "trials"] },
  edit: { now: ["start", "engine", "lines", "only"] },
  write: { now: ["engine", "lines"] },
  all: {},
  start: {},
  trials: {},
  hosts: {},
  engine: { now: ["deep"] },
  deep: {},
  lines: {},
  only: {},
};

// As files have them: what is no path is a package.
const EXPORTED = { index: "/index", extra: "/extra", more: "/more" };

function nameOf(id: string): string {
  return id.replace("/", "");
}

const { output } = await build({
  input: { ...EXPORTED, command: "/command", worker: "/worker" },
  write: false,
  plugins: [
    {
      name: "modules",
      resolveId: (id) => (nameOf(id) in MODULES ? `/${nameOf(id)}` : null),
      load: (id) => {
        const { now = [], later = [] } = MODULES[nameOf(id)]!;
        const imports = now.map((name) => `import { value as ${name} } from "${name}";`);
        const parts = later.map((name) => `() => import("${name}")`);
        return `${imports.join("\n")}\nexport const value = ["${id}", ${[...now, ...parts].join(", ")}];`;
      },
    },
  ],
  output: {
    codeSplitting: chunksByEntry(EXPORTED, { command: "/command" }, { worker: "/worker" }),
  },
});
const chunks = output
  .filter((each) => each.type === "chunk")
  .map((chunk) => ({ ...chunk, moduleIds: chunk.moduleIds.map(nameOf) }));

/** The modules in the file that holds one. */
const fileOf = (module: string) => chunks.find(({ moduleIds }) => moduleIds.includes(module))!;

test.each(["command", "worker"])("nobody imports the file of a program: %s", (program) => {
  expect(fileOf(program).moduleIds).toEqual([program]);
  expect(chunks.flatMap(({ imports }) => imports)).not.toContain(fileOf(program).fileName);
});

test("a command loads nothing that only others load, other programs among them", () => {
  expect(fileOf("all").moduleIds).toEqual(["all"]);
  expect(fileOf("trials").moduleIds).toEqual(["trials"]);
  expect(fileOf("command").imports).toEqual([fileOf("all").fileName]);
});

test("what is loaded at the start and later lies in one file for each entry point", () => {
  expect(fileOf("start").moduleIds).toEqual(["start"]);
  expect(fileOf("engine").moduleIds.toSorted()).toEqual(["deep", "engine"]);
  expect(fileOf("index").imports).not.toContain(fileOf("engine").fileName);
});

test("the main entry point loads nothing that only others need", () => {
  expect(fileOf("hosts").moduleIds).toEqual(["hosts"]);
  expect(fileOf("index").imports).not.toContain(fileOf("hosts").fileName);
  expect(fileOf("more").imports).toContain(fileOf("hosts").fileName);
});

test("what is only loaded later lies in one file, or with the part that alone loads it", () => {
  expect(fileOf("lines").moduleIds).toEqual(["lines"]);
  expect(fileOf("edit").moduleIds.toSorted()).toEqual(["edit", "only"]);
  for (const entry of ["index", "extra", "command"]) {
    expect(fileOf(entry).imports).not.toContain(fileOf("lines").fileName);
  }
});

test("an entry point exports what its source exports", () => {
  expect(fileOf("index").exports).toEqual(["value"]);
});
