import { expect, test } from "vitest";
import { formatExplanation } from "../../src/explain/explain.ts";
import { policy, session, tool } from "../fixtures.ts";

test("an unknown tool is said to be unknown, with the nearest", () => {
  const explanation = policy({}).explain(session("main"), "apply-patch");
  expect(explanation).toMatchObject({ known: false, tool: "apply-patch", nearest: ["apply_patch"] });
  expect(formatExplanation(explanation)).toBe(
    'apply-patch in a main session\n\n  This host has no tool "apply-patch". Did you mean "apply_patch"?\n',
  );
  expect(policy({}).explain(session("main"), "zzzzzz")).toMatchObject({ known: false, nearest: [] });
});

test("a short name means the built-in tool; any tool has its id", () => {
  expect(policy({}).explain(session("main"), "write")).toMatchObject({ toolId: "haft-fs/write" });
  expect(policy({}).explain(session("main"), "rogue/write")).toMatchObject({ toolId: "rogue/write" });
  expect(policy({}).explain(session("main"), tool("rogue/write"))).toMatchObject({ toolId: "rogue/write" });
});

test("an explanation is plain JSON with every rule, one of which decided", () => {
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

test("an explanation for people", () => {
  const explanation = policy({ deny: ["read", "effect:write"] }).explain(session("group", "ada"), "write");
  expect(formatExplanation(explanation)).toMatchInlineSnapshot(`
    "write in a group session (agent ada)

      visible    no
      call       deny
      because    write is denied by policy.json: deny[1] = "effect:write".
      to change  Add "write" to sessions.group.grant and remove "effect:write" from deny[1] in policy.json. This also opens exec, process and bash.
      decision   24rm2wn52xjsx

    Looked at, in order:

        sessions  pass  write in group sessions: denied unless granted  built-in session table
        grant     deny  nothing grants it                               built-in session table
        deny      pass  deny "read"                                     policy.json: deny[0]
     →  deny      deny  deny "effect:write"                             policy.json: deny[1]
    "
  `);
});

test("what a policy in shadow mode would decide, and what is asked about every time, is shown", () => {
  const shadow = policy({ mode: "shadow", deny: ["ls"] }).explain(session("main"), "ls");
  expect(formatExplanation(shadow)).toMatch(
    /in shadow +deny: ls is denied by policy\.json: deny\[0\] = "ls"\.\n/,
  );
  const always = policy({ exec: { ask: "always" } }).explain(session("main"), "exec");
  expect(formatExplanation(always)).toMatch(/every time +policy\.json: exec\.ask = "always"\n/);
});

test("long lists that do not match are summed up", () => {
  const deny = ["ls", "edit", "apply_patch", "process", "bash", "weather", "math", "read"];
  const lines = formatExplanation(policy({ deny }).explain(session("main"), "read")).split("\n");
  expect(lines).toContain("    deny      pass   … 3 more that do not match");
  expect(lines.filter((line) => line.includes("→"))).toEqual([
    expect.stringMatching(/deny "read" +policy\.json: deny\[7\]$/),
  ]);
});
