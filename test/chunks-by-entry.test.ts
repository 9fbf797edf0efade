import { build } from "rolldown";
import { expect, test } from "vitest";
import { chunksByEntry } from "../scripts/lib/chunks-by-entry.ts";

/** Modules by name: what they import at once, and what later. */
const MODULES: Record<string, { now?: string[]; later?: string[] }> = {
  index: { now: ["all", "start"], later: ["edit", "write"] },
  extra: { now: ["all", "engine", "hosts"], later: ["write"] },
  more: { now: ["start", "hosts"] },
  command: { now: ["all"], later: ["edit"] },
  edit: { now: ["start", "engine", "lines", "only"] },
  write: { now: ["engine", "lines"] },
  all: {},
  start: {},
  hosts: {},
  engine: { now: ["deep"] },
  deep: {},
  lines: {},
  only: {},
};

const { output } = await build({
  input: { index: "index", extra: "extra", more: "more", command: "command" },
  write: false,
  plugins: [
    {
      name: "modules",
      resolveId: (id) => (id in MODULES ? id : null),
      load: (id) => {
        const { now = [], later = [] } = MODULES[id]!;
        const imports = now.map((name) => `import { value as ${name} } from "${name}";`);
        const parts = later.map((name) => `() => import("${name}")`);
        return `${imports.join("\n")}\nexport const value = ["${id}", ${[...now, ...parts].join(", ")}];`;
      },
    },
  ],
  output: {
    codeSplitting: chunksByEntry({ index: "index", extra: "extra", more: "more" }, { command: "command" }),
  },
});
const chunks = output.filter((each) => each.type === "chunk");

/** The modules in the file that holds one. */
const fileOf = (module: string) => chunks.find(({ moduleIds }) => moduleIds.includes(module))!;

test("what a program loads lies apart from what only others load, and nobody imports the program's file", () => {
  expect(fileOf("all").moduleIds).toEqual(["all"]);
  expect(fileOf("command").moduleIds).toEqual(["command"]);
  expect(chunks.flatMap(({ imports }) => imports)).not.toContain(fileOf("command").fileName);
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
