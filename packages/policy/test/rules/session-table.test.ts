import { expect, test } from "vitest";
import { sessionKinds } from "../../src/read/policy-config.ts";
import { sessionTable, tableCell } from "../../src/rules/session-table.ts";
import { tool } from "../fixtures.ts";

test("a built-in tool without a row has no cell, not even with a name every object has", () => {
  expect(tableCell({ ...tool("read"), name: "reed" }, "main")).toBeUndefined();
  expect(tableCell({ ...tool("read"), name: "constructor" }, "main")).toBeUndefined();
});

test("nobody can change the table", () => {
  const row = sessionTable.builtIn["write"]!;
  expect(() => Object.assign(row.group, { verdict: "allow" })).toThrow(TypeError);
  expect(() => Object.assign(row, { group: row.main })).toThrow(TypeError);
  expect(() => Object.assign(sessionTable.builtIn, { rm: row })).toThrow(TypeError);
  expect(() => Object.assign(sessionTable.plugins, { group: row.main })).toThrow(TypeError);
});

test("the shipped table", () => {
  const rows = [...Object.entries(sessionTable.builtIn), ["plugin tools", sessionTable.plugins] as const];
  const lines = rows.map(([name, row]) =>
    [name.padEnd(12), ...sessionKinds.map((kind) => row[kind].verdict.padEnd(9))].join(" ").trimEnd(),
  );
  expect(["             main      group     sandboxed", ...lines].join("\n")).toMatchInlineSnapshot(`
    "             main      group     sandboxed
    read         allow     allow     allow
    ls           allow     allow     allow
    find         allow     allow     allow
    grep         allow     allow     allow
    write        allow     grant     allow
    edit         allow     grant     allow
    apply_patch  allow     grant     allow
    exec         allow     ask       allow
    bash         ask       ask       allow
    process      allow     allow     allow
    node_invoke  grant     grant     grant
    plugin tools allow     grant     grant"
  `);
});

test("every cell says why in one line", () => {
  for (const row of [...Object.values(sessionTable.builtIn), sessionTable.plugins]) {
    for (const kind of sessionKinds) expect(row[kind].note).toMatch(/^[^\n.]{10,80}$/);
  }
});
