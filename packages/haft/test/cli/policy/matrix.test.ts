import type { ToolFacts } from "@haft/core";
import { createPolicy, readMatrix } from "@haft/policy";
import { describe, expect, test } from "vitest";
import { policy, tool, tools } from "../../../../policy/test/fixtures.ts";
import { formatMatrix } from "../../../src/cli/policy/format-matrix.ts";
import { drawMatrix, formatMatrixPage } from "../../../src/cli/policy/matrix-picture.ts";

const config = { deny: ["weather"], sessions: { group: { grant: ["write"], ask: ["write"] } } };

test("the cells say what the evaluator decides, and why", () => {
  const made = policy(config);
  const rows = readMatrix(made, tools);
  expect(rows.map(({ toolId }) => toolId)).toEqual(tools.map(({ id }) => id));
  const write = rows.find(({ name }) => name === "write")!;
  expect(write.cells.main.word).toBe("allow");
  expect(write.cells.group).toMatchObject({
    word: "ask",
    rule: 'ask "write"',
    source: "policy.json: sessions.group.ask[0]",
  });
  expect(rows.find(({ name }) => name === "edit")!.cells.group).toMatchObject({
    word: "grant",
    fix: expect.stringContaining("sessions.group.grant"),
  });
  expect(rows.find(({ name }) => name === "weather/weather")!.cells.main.word).toBe("deny");
});

test("what depends on the call is marked, and the mark explained", () => {
  const made = policy({ exec: { preset: "careful" } });
  expect(readMatrix(made, tools).find(({ name }) => name === "exec")!.cells.main.dependsOnCall).toBe(true);
  for (const text of [formatMatrix(made, tools), drawMatrix(made, tools), formatMatrixPage(made, tools)]) {
    expect(text).toMatch(/ask …/);
    expect(text).toMatch(/by what they would do/);
  }
  expect(formatMatrix(policy({}), tools)).not.toContain("…");
});

test("agents have a picture of their own", () => {
  const made = policy({ agents: { ada: { deny: ["read"] } } });
  const cell = (agentId?: string) =>
    readMatrix(made, tools, agentId).find(({ name }) => name === "read")!.cells.main;
  expect([cell().word, cell("ada").word]).toEqual(["allow", "deny"]);
});

describe.each([
  ["svg", drawMatrix],
  ["html", formatMatrixPage],
] as const)("as %s", (_, draw) => {
  test("it needs nothing else, and every answer has a shape and a word beside its colour", () => {
    const picture = draw(policy(config), tools, { source: "policy.json" });
    expect(picture).not.toMatch(/(?:src|href|url)\s*[=(]/);
    expect(picture).not.toMatch(/<script/i);
    expect(picture.match(/class="mark"/g)!.length).toBeGreaterThanOrEqual(tools.length * 3);
    expect(picture).toContain("prefers-color-scheme: dark");
    expect(picture).toContain("ask &quot;write&quot; — policy.json: sessions.group.ask[0]");
    for (const word of ["allow", "ask", "grant", "deny"]) expect(picture).toContain(word);
  });

  test("whatever things are called, it stays a picture of them", () => {
    const evil = `"><script>alert(1)</script>&'\u0000\u202e`;
    const strange: ToolFacts = { ...tools.at(-1)!, id: `x/${evil}`, name: evil, pluginId: "x" };
    const made = createPolicy({}, { tools: [strange], source: evil });
    const picture = draw(made, [strange], { agentId: evil, source: evil });
    expect(picture).not.toMatch(/<script/i);
    expect([picture.includes("\u0000"), picture.includes("\u202e")]).toEqual([false, false]);
    expect(picture).toContain("&lt;script&gt;");
    expect(picture).toContain("\\u{202e}");
  });
});

test("the matrix of an empty policy is the session table", () => {
  expect(formatMatrix(policy({}), tools)).toMatchInlineSnapshot(`
    "tool                main   group  sandboxed
    read                allow  allow  allow
    write               allow  grant  allow
    edit                allow  grant  allow
    apply_patch         allow  grant  allow
    ls                  allow  allow  allow
    exec                allow  ask    allow
    process             allow  allow  allow
    bash                ask    ask    allow
    node_invoke         grant  grant  grant
    weather/weather     allow  grant  grant
    chat/send_message   allow  grant  grant
    chat/list_rooms     allow  grant  grant
    web/fetch           allow  grant  grant
    math/add            allow  grant  grant
    extras/secret_scan  grant  grant  grant
    rogue/write         allow  grant  grant

    allow  may be called
    ask    each call needs approval
    grant  denied until the policy grants it
    "
  `);
});

test("the matrix tells a denial from a missing grant", () => {
  const matrix = formatMatrix(policy({ deny: ["write"] }), [tool("write"), tool("edit")]);
  expect(matrix.split("\n").slice(0, 3)).toEqual([
    "tool   main   group  sandboxed",
    "write  deny   deny   deny",
    "edit   allow  grant  allow",
  ]);
});
