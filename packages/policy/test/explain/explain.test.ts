import { describe, expect, test } from "vitest";
import { formatExplanation } from "../../src/explain/explain.ts";
import { matrixLabel, matrixLegend, readMatrix } from "../../src/explain/read-matrix.ts";
import { policy, session, tool, tools } from "../fixtures.ts";

test("reports an unknown tool with similar names", () => {
  const explanation = policy({}).explain(session("main"), "apply-patch");
  expect(explanation).toMatchObject({ known: false, tool: "apply-patch", nearest: ["apply_patch"] });
  expect(formatExplanation(explanation)).toBe(
    'apply-patch in a main session\n\n  This host has no tool "apply-patch". Did you mean "apply_patch"?\n',
  );
  expect(policy({}).explain(session("main"), "zzzzzz")).toMatchObject({ known: false, nearest: [] });
});

test("resolves a short name to the built-in tool, and an id to any tool", () => {
  expect(policy({}).explain(session("main"), "write")).toMatchObject({ toolId: "haft-fs/write" });
  expect(policy({}).explain(session("main"), "rogue/write")).toMatchObject({ toolId: "rogue/write" });
  expect(policy({}).explain(session("main"), tool("rogue/write"))).toMatchObject({ toolId: "rogue/write" });
});

test("returns plain JSON with every rule and the deciding rule", () => {
  const config = {
    profile: "coding",
    deny: ["read", "effect:write"],
    sessions: { group: { ask: ["exec"] } },
  } as const;
  const explanation = policy(config).explain(session("group", "ada"), "write", { path: "a" });
  expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  expect(explanation).toMatchObject({
    visibility: { effect: "deny" },
    call: { effect: "deny", fix: expect.stringContaining("sessions.group.grant") },
    trace: [
      { layer: "sessions", verdict: "pass", source: "built-in session table", decided: false },
      { layer: "grant", verdict: "deny", decided: false },
      { layer: "profile", verdict: "allow", source: "policy.json: profile" },
      { layer: "deny", rule: 'deny "read"', verdict: "pass", source: "policy.json: deny[0]" },
      {
        layer: "deny",
        rule: 'deny "effect:write"',
        verdict: "deny",
        source: "policy.json: deny[1]",
        decided: true,
      },
      { layer: "ask", rule: 'ask "exec"', verdict: "pass", source: "policy.json: sessions.group.ask[0]" },
    ],
  });
});

test("formats an explanation as text", () => {
  const explanation = policy({ deny: ["read", "effect:write"] }).explain(session("group", "ada"), "write");
  expect(formatExplanation(explanation)).toMatchInlineSnapshot(`
    "write in a group session (agent ada)

      visible    no
      call       deny
      because    write is denied by policy.json: deny[1] = "effect:write".
      to change  Add "write" to sessions.group.grant and remove "effect:write" from deny[1] in policy.json. This also allows the tools \`exec\`, \`process\` and \`bash\`.
      decision   24rm2wn52xjsx

    Checked rules, in order:

        sessions  pass  write in group sessions: denied unless granted  built-in session table
        grant     deny  no rule grants it                               built-in session table
        deny      pass  deny "read"                                     policy.json: deny[0]
     →  deny      deny  deny "effect:write"                             policy.json: deny[1]
    "
  `);
});

test("shows decisions of shadow mode and approvals that are required each time", () => {
  const shadow = policy({ mode: "shadow", deny: ["ls"] }).explain(session("main"), "ls");
  expect(formatExplanation(shadow)).toMatch(
    /in shadow +deny: ls is denied by policy\.json: deny\[0\] = "ls"\.\n/,
  );
  const always = policy({ exec: { ask: "always" } }).explain(session("main"), "exec");
  expect(formatExplanation(always)).toMatch(/every time +policy\.json: exec\.ask = "always"\n/);
});

test("summarizes long runs of rules that do not match", () => {
  const deny = ["ls", "edit", "apply_patch", "process", "bash", "weather", "math", "read"];
  const lines = formatExplanation(policy({ deny }).explain(session("main"), "read")).split("\n");
  expect(lines).toContain("    deny      pass   … 3 more that do not match");
  expect(lines.filter((line) => line.includes("→"))).toEqual([
    expect.stringMatching(/deny "read" +policy\.json: deny\[7\]$/),
  ]);
});

type Kind = "main" | "group" | "sandboxed";

const cellOf = (config: Parameters<typeof policy>[0], name: string, kind: Kind = "main") =>
  readMatrix(policy(config), tools).find((row) => row.name === name)!.cells[kind];

describe("rules that apply to some calls", () => {
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

  test.for(cases)("determine the label of a cell: %s", ([_what, config, name, kind, label]) => {
    const cell = cellOf(config, name, kind);
    expect(matrixLabel(cell).label).toBe(label);
    expect(cell.dependsOnCall).toBe(label.includes("…"));
  });

  test("add the answer to the other calls", () => {
    expect(cellOf({ deny: ["exec(rm *)"] }, "exec", "group")).toMatchObject({
      toSome: "deny",
      toOthers: "ask",
    });
    expect(cellOf({ deny: ["exec(rm *)"] }, "exec")).toMatchObject({ toSome: "deny", toOthers: "allow" });
  });
});

test("lists exactly the occurring words in the legend", () => {
  const legend = (config: Parameters<typeof policy>[0]) =>
    matrixLegend(readMatrix(policy(config), tools)).map(([word, , note]) => note ?? word);
  expect(legend({})).toEqual(["allow", "ask", "grant"]);
  expect(legend({ deny: ["exec(rm *)"] })).toEqual(["allow", "ask", "grant", "allow, deny …", "ask, deny …"]);
});
