import type { CallSubjects } from "@haft/core";
import { expect, test } from "vitest";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, session, tool } from "../fixtures.ts";

const typed: CallSubjects = {
  action: "write",
  command: { text: "rm x", cwd: "/work", commands: [], unclear: "it is typed into calm-otter", input: true },
};
const decide = (config: PolicyConfig, kind: "main" | "group" = "main", subjects: CallSubjects = typed) =>
  policy(config).forSession(session(kind)).call(tool("process"), { action: "write" }, subjects);

test.each<[PolicyConfig, "main" | "group", string]>([
  [{}, "main", "allow"],
  [{}, "group", "ask"],
  [{ exec: { allow: ["rm *"] } }, "main", "deny"],
  [{ exec: { preset: "careful" } }, "main", "ask"],
  [{ exec: { security: "deny" } }, "main", "deny"],
  [{ ask: ["exec"] }, "main", "ask"],
  [{ deny: ["exec"] }, "main", "deny"],
  [{ deny: ["exec(rm *)"] }, "main", "ask"],
  [{ deny: ["effect:execute(command:rm *)"] }, "main", "ask"],
  [{ deny: ["process"] }, "main", "deny"],
  [{ deny: ["process:kill"] }, "main", "allow"],
  [{ ask: ["bash"] }, "main", "allow"],
])("what is typed under %j in a %s session: %s", (config, kind, effect) => {
  expect(decide(config, kind).effect).toBe(effect);
});

test("with ask always nothing typed is remembered, and the reason names the rule", () => {
  const decision = decide({ exec: { ask: "always" } });
  expect(decision).toMatchObject({ effect: "ask", everyTime: expect.stringContaining("exec.ask") as string });
  expect(decide({ exec: { preset: "careful" } }).reason).toContain("it is typed into calm-otter");
  expect(decide({}, "group").reason).toContain("every command on the host needs approval");
});

test("input that is only read is a call of process, and no more", () => {
  expect(decide({ deny: ["exec"] }, "main", { action: "write" }).effect).toBe("allow");
  expect(decide({}, "group", { action: "write" }).effect).toBe("allow");
});
