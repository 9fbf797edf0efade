import { describe, expect, test } from "vitest";
import { matrixLabel, matrixLegend, readMatrix } from "../../src/explain/read-matrix.ts";
import { policy, tools } from "../fixtures.ts";

type Kind = "main" | "group" | "sandboxed";

const cellOf = (config: Parameters<typeof policy>[0], name: string, kind: Kind = "main") =>
  readMatrix(policy(config), tools).find((row) => row.name === name)!.cells[kind];

describe("what holds for some calls is told from what holds for all", () => {
  const cases: [string, Parameters<typeof policy>[0], string, Kind, string][] = [
    ["a denied path", { deny: ["read(path:secret/**)"] }, "read", "main", "allow, deny …"],
    ["a denied argument", { deny: ["edit(arg:replaceAll=true)"] }, "edit", "main", "allow, deny …"],
    ["a denied action", { deny: ["process:kill"] }, "process", "main", "allow, deny …"],
    ["a path that is asked about", { ask: ["read(path:secret/**)"] }, "read", "main", "allow, ask …"],
    [
      "one path asked about, another denied",
      { ask: ["read(path:a)"], deny: ["read(path:b)"] },
      "read",
      "main",
      "allow, deny …",
    ],
    ["a command denied, where all are asked about", { deny: ["exec(rm *)"] }, "exec", "group", "ask, deny …"],
    ["a list of commands", { exec: { preset: "careful" } }, "exec", "main", "allow, ask …"],
    [
      "a list of commands, where all are asked about",
      { exec: { preset: "careful" } },
      "exec",
      "group",
      "ask",
    ],
    [
      "a list of commands and nothing else",
      { exec: { security: "allowlist", ask: "off", allow: ["ls"] } },
      "exec",
      "main",
      "allow, deny …",
    ],
    ["every command asked about", { exec: { security: "full", ask: "always" } }, "exec", "main", "ask"],
    [
      "every command asked about, for a tool that also lists",
      { exec: { security: "full", ask: "always" } },
      "process",
      "main",
      "allow, ask …",
    ],
    ["no command at all", { exec: { security: "deny" } }, "exec", "main", "deny"],
    ["a list of paths", { allow: ["read(path:src/**)"] }, "read", "main", "allow, deny …"],
    [
      "a path that is granted",
      { sessions: { group: { grant: ["write(path:docs/**)"] } } },
      "write",
      "group",
      "allow, grant …",
    ],
    [
      "all of it denied, and a part again",
      { deny: ["read", "read(path:secret/**)"] },
      "read",
      "main",
      "deny",
    ],
    [
      "all of it asked about, and a part again",
      { ask: ["read", "read(path:secret/**)"] },
      "read",
      "main",
      "ask",
    ],
    ["nothing", {}, "read", "main", "allow"],
  ];

  test.for(cases)("%s", ([_what, config, name, kind, label]) => {
    const cell = cellOf(config, name, kind);
    expect(matrixLabel(cell).label).toBe(label);
    expect(cell.dependsOnCall).toBe(label.includes("…"));
  });

  test("with the answer to the others", () => {
    expect(cellOf({ deny: ["exec(rm *)"] }, "exec", "group")).toMatchObject({
      toSome: "deny",
      toOthers: "ask",
    });
    expect(cellOf({ deny: ["exec(rm *)"] }, "exec")).toMatchObject({ toSome: "deny", toOthers: "allow" });
  });
});

test("the legend has a line for each that occurs, and for no other", () => {
  const legend = (config: Parameters<typeof policy>[0]) =>
    matrixLegend(readMatrix(policy(config), tools)).map(([word, , note]) => note ?? word);
  expect(legend({})).toEqual(["allow", "ask", "grant"]);
  expect(legend({ deny: ["exec(rm *)"] })).toEqual(["allow", "ask", "grant", "allow, deny …", "ask, deny …"]);
});
