import { readMatrix } from "@haft/policy";
import { expect, test } from "vitest";
import { policy, tool, tools } from "../../../../policy/test/fixtures.ts";
import { formatMatrix } from "../../../src/cli/tools/tools.ts";

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
  const text = formatMatrix({ policy: made, catalogue: tools });
  expect(text).toMatch(/ask …[^]*depending on the call/);
  expect(formatMatrix({ policy: policy({}), catalogue: tools })).not.toContain("…");
});

test("agents have a matrix of their own", () => {
  const made = policy({ agents: { ada: { deny: ["read"] } } });
  const cell = (agentId?: string) =>
    readMatrix(made, tools, agentId).find(({ name }) => name === "read")!.cells.main;
  expect([cell().word, cell("ada").word]).toEqual(["allow", "deny"]);
});

test("the matrix of an empty policy is the session table", () => {
  expect(formatMatrix({ policy: policy({}), catalogue: tools })).toMatchInlineSnapshot(`
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
    grant  denied until the policy grants it"
  `);
});

test("the matrix tells a denial from a missing grant", () => {
  const matrix = formatMatrix({
    policy: policy({ deny: ["write"] }),
    catalogue: [tool("write"), tool("edit")],
  });
  expect(matrix.split("\n").slice(0, 3)).toEqual([
    "tool   main   group  sandboxed",
    "write  deny   deny   deny",
    "edit   allow  grant  allow",
  ]);
});
