import type { SessionFacts } from "@haft/core";
import { describe, expect, test } from "vitest";
import { createPolicy } from "../../src/create-policy.ts";
import { formatExplanation } from "../../src/explain/explain.ts";
import { matrixLegend, readMatrix } from "../../src/explain/read-matrix.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, running, session, tool, tools } from "../fixtures.ts";

const config: PolicyConfig = { exec: { preset: "contained", network: ["example.com"] } };
const contained: SessionFacts = {
  ...session("main"),
  containment: { mode: "workspace", network: ["example.com"] },
};
const explained = (facts: SessionFacts, subjects = running("git push"), of = config) =>
  formatExplanation(policy(of).explain(facts, "exec", {}, subjects));

describe("the explanation of preset contained", () => {
  test("describes a contained command", () => {
    expect(explained(contained)).toMatchInlineSnapshot(`
      "exec in a main session

        visible   yes
        call      allow
        because   exec is allowed in main sessions (built-in session table: the owner is trusted with commands on the host).
        commands  contained: writes in the workspace, network example.com; leaving needs approval
        decision  054zu2a3jm8de

      Checked rules, in order:

          containment  pass   contained: writes in the workspace, network example.com; leaving needs approval  policy.json: exec.preset
       →  sessions     allow  exec in main sessions: allow                                                     built-in session table
      "
    `);
  });

  test("describes a command that leaves", () => {
    expect(explained(contained, running("git push", { outside: "it needs my keys" }))).toMatchInlineSnapshot(`
      "exec in a main session

        visible   yes
        call      ask
        because   exec needs approval to run outside the view of contained commands (policy.json: exec.preset); its reason: "it needs my keys".
        decision  0rd220w00d22c

      Checked rules, in order:

       →  containment  ask    the call leaves the view of contained commands: needs approval  policy.json: exec.preset
          sessions     allow  exec in main sessions: allow                                    built-in session table
      "
    `);
  });

  test("describes a command that nothing contains", () => {
    expect(explained(session("main"))).toMatchInlineSnapshot(`
      "exec in a main session

        visible    yes
        call       ask
        because    exec needs approval by policy.json: exec.preset: nothing contains commands here, so the list decides, and "git push" is not listed.
        to change  Add "git push" to exec.allow in policy.json.
        decision   0cjpomkew7hir

      Checked rules, in order:

          sessions  allow  exec in main sessions: allow                                                                                           built-in session table
       →  exec      ask    only listed commands and safe bins: nothing contains commands here, so the list decides, and "git push" is not listed  policy.json: exec.preset
      "
    `);
  });
});

test("lists rules that containment makes unnecessary in the trace", () => {
  const careful: PolicyConfig = { exec: { preset: "careful", containment: "workspace" } };
  const facts: SessionFacts = { ...contained, containment: { mode: "workspace", network: "none" } };
  const { trace } = policy(careful).forSession(facts).call(tool("exec"), {}, running("git push"));
  expect(trace.filter(({ layer }) => layer === "exec" || layer === "containment")).toEqual([
    {
      layer: "containment",
      rule: "contained: writes in the workspace, network none; leaving needs approval",
      source: "policy.json: exec.containment",
      verdict: "pass",
    },
    {
      layer: "exec",
      rule: "only listed commands and safe bins: other commands are contained and need no approval",
      source: "policy.json: exec.preset",
      verdict: "pass",
    },
  ]);
});

test("mentions that elevated calls may leave without approval", () => {
  const elevated = { mode: "full", senders: ["id:ada"] } as const;
  expect(explained(contained, running("ls"), { exec: { ...config.exec!, elevated } })).toContain(
    "leaving needs approval, unless the call is elevated",
  );
});

test("does not mention containment for tools without commands", () => {
  expect(formatExplanation(policy(config).explain(contained, "read"))).not.toContain("contained");
});

test("mentions missing containment for a listed command", () => {
  const { trace } = policy({ exec: { containment: "workspace", allow: ["git"] } })
    .forSession(session("main"))
    .call(tool("exec"), {}, running("git push"));
  expect(trace.find(({ layer }) => layer === "exec")?.rule).toBe(
    "only listed commands and safe bins: all are listed (nothing contains commands here)",
  );
});

test("offers a fix if required containment is missing, only if it works", () => {
  const wanted: PolicyConfig = { exec: { containment: "workspace" } };
  const { fix } = policy(wanted).forSession(session("main")).call(tool("exec"), {}, running("ls"));
  expect(fix).toBe('Set exec.containment to "none" in policy.json.');
  const group = policy(wanted).forSession(session("group")).call(tool("exec"), {}, running("ls"));
  expect(group.fix).toBeUndefined();
});

test("shows the answers for contained commands in the matrix, with a note", () => {
  const rows = readMatrix(policy(config), tools);
  const cells = Object.fromEntries(rows.map(({ name, cells: { main } }) => [name, main]));
  expect(cells["exec"]).toMatchObject({
    word: "allow",
    dependsOnCall: false,
    contained: "writes in the workspace, network example.com",
  });
  expect(cells["bash"]).toMatchObject({ word: "allow" });
  expect(cells["read"]).not.toHaveProperty("contained");
  expect(rows.find(({ name }) => name === "exec")!.cells.sandboxed).not.toHaveProperty("contained");
  expect(matrixLegend(rows)).toContainEqual([
    "allow",
    "commands run contained, as the policy requires; without containment, more calls may need approval",
    "contained",
  ]);
  const plain = readMatrix(createPolicy({}, { tools }), tools);
  expect(matrixLegend(plain).map(([, , note]) => note)).not.toContain("contained");
});
