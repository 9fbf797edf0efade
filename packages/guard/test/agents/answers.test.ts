import { agents, getAgent } from "@haft/guard";
import { describe, expect, it } from "vitest";
import { verdictFromError } from "../../src/decide/decide.ts";
import { ask, payloads } from "../support.ts";

const NPM =
  'Haft denies this call: exec is denied by policy.yaml: deny[0] = "exec". A person can allow it: Remove "exec" from deny[0] in policy.yaml.';
const WAITS =
  'Haft asks a person about this call, so it did not run: exec needs approval because of policy.yaml: ask[0] = "exec". It waits for a person, as approval k7: haft approvals answer k7 allow-once. After the answer, make exactly this call again. Until then, do not try it in another way.';
const ASKS =
  'Haft asks: exec needs approval because of policy.yaml: ask[0] = "exec". To avoid this question: Remove "exec" from ask[0] in policy.yaml.';
const OPENCLAW = `${JSON.stringify({ requireApproval: { title: "Haft asks about this call", description: ASKS, severity: "warning", timeoutBehavior: "deny" } })}\n`;
const FAILED =
  "Haft denies this call, because it could not decide: the disk is gone. haft guard status has details. To end the denials, a person runs: haft guard uninstall (with --project if it is installed in the project)";

const claudeLike = (decision: string, reason: string) =>
  `${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: decision, permissionDecisionReason: reason } })}\n`;
const shapes: Record<string, (reason: string) => string> = {
  claude: (reason) => claudeLike("deny", reason),
  codex: (reason) => claudeLike("deny", reason),
  gemini: (reason) => `${JSON.stringify({ decision: "deny", reason })}\n`,
  cursor: (reason) =>
    `${JSON.stringify({ permission: "deny", user_message: reason, agent_message: reason })}\n`,
  opencode: (reason) => `${JSON.stringify({ block: true, reason })}\n`,
  pi: (reason) => `${JSON.stringify({ block: true, reason })}\n`,
  openclaw: (reason) => `${JSON.stringify({ block: true, blockReason: reason })}\n`,
  copilot: (reason) =>
    `${JSON.stringify({ permissionDecision: "deny", permissionDecisionReason: reason })}\n`,
};
/** What each is told of what is allowed. */
const silence: Record<string, string> = {
  cursor: '{"permission":"allow"}\n',
  opencode: "{}\n",
  pi: "{}\n",
  openclaw: "{}\n",
};
/** Agents that an exit code tells of a failure of Haft. Cursor shows its text, Copilot reads no JSON beside it, others have no process. */
const withExitCode = Object.keys(shapes).filter((agent) => agent !== "cursor" && agent !== "copilot");
const approvals = { ask: async () => ({ approvalId: "k7" }) };
const ATTENDED = { CLAUDE_CODE_SESSION_ATTENDED: "1" };

describe.each(Object.keys(shapes))("%s", (agent) => {
  const shell = payloads[agent]!["shell"]!;
  const denied = shapes[agent]!;

  it("gets no answer for an allowed call", async () => {
    const { answer } = await ask(agent, shell, {});
    expect(answer).toEqual({ stdout: silence[agent] ?? "", stderr: "", exitCode: 0 });
  });

  it("gets the reason of a denial and the smallest fix", async () => {
    const { answer } = await ask(agent, shell, { deny: ["exec"] });
    expect(answer).toEqual({ stdout: denied(NPM), stderr: "", exitCode: 0 });
  });

  it("gets an approval id for a person if no person is present", async () => {
    const { answer } = await ask(agent, shell, { ask: ["exec"] }, { approvals });
    expect(answer).toEqual({ stdout: denied(WAITS), stderr: "", exitCode: 0 });
  });

  it("asks a present person through its own prompt only if that works", async () => {
    const payload = { ...shell, attended: true };
    const { answer } = await ask(agent, payload, { ask: ["exec"] }, { approvals, env: ATTENDED });
    const prompts: Record<string, string> = {
      claude: claudeLike("ask", ASKS),
      pi: `${JSON.stringify({ confirm: { title: "Haft", text: ASKS } })}\n`,
      openclaw: OPENCLAW,
    };
    const stdout = prompts[agent] ?? denied(WAITS);
    expect(answer).toEqual({ stdout, stderr: "", exitCode: 0 });
  });

  it("blocks a call through JSON and through exit code 2 with a text if Haft failed", () => {
    const { read, answer } = getAgent(agent);
    const { event } = read(shell, { env: {}, cwd: "/" });
    expect(answer(verdictFromError(new Error("the disk is gone.")), event)).toEqual({
      stdout: denied(FAILED),
      stderr: `${FAILED}\n`,
      exitCode: withExitCode.includes(agent) ? 2 : 0,
    });
  });

  it("continues with an unknown tool, and asks if a rule is about effects", async () => {
    const unknown = payloads[agent]!["unknown"]!;
    expect((await ask(agent, unknown, {})).answer.stdout).toBe(silence[agent] ?? "");
    expect((await ask(agent, unknown, { deny: ["effect:message"] })).judgement?.effect).toBe("ask");
    expect(
      (await ask(agent, unknown, { deny: [`${agent}/teleport`, `${agent}/Teleport`] })).judgement?.effect,
    ).toBe("deny");
  });

  it.each([undefined, null, 7, "text", [], {}, { tool_name: 7 }])("has no call in %j", (payload) => {
    expect(() => getAgent(agent).read(payload, { env: {}, cwd: "/" })).toThrow(agents.get(agent)!.label);
  });
});

it("does not run the questions of Claude for a person", async () => {
  const payload = { ...payloads["claude"]!["shell"], hook_event_name: "PermissionRequest" };
  const { answer } = await ask("claude", payload, { deny: ["exec"] });
  expect(JSON.parse(answer.stdout)).toEqual({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: NPM } },
  });
});

it("answers the permission request of Copilot in its format", async () => {
  const { toolArgs: toolInput, ...payload } = payloads["copilot"]!["shell"] as Record<string, unknown>;
  const { answer } = await ask(
    "copilot",
    { ...payload, toolInput, hookName: "permissionRequest" },
    { deny: ["exec"] },
  );
  expect(JSON.parse(answer.stdout)).toEqual({ behavior: "deny", message: NPM });
});

const withEvents = ["claude", "codex", "gemini", "copilot"];

it.each(withEvents)("has no opinion on other events of %s", async (agent) => {
  const payload = { ...payloads[agent]!["shell"], hook_event_name: "PostToolUse" };
  const { answer } = await ask(agent, payload, { deny: ["*"] });
  expect(answer).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

it.each(withEvents)("decides about a call of %s with an unknown event name", async (agent) => {
  const payload = { ...payloads[agent]!["shell"], hook_event_name: "BeforeAnyTool" };
  const { answer } = await ask(agent, payload, { deny: ["exec"] });
  expect(answer.stdout).toBe(shapes[agent]!(NPM));
});

it("sends Codex only known keys, because it runs the call after an unknown key", async () => {
  const { answer } = await ask(
    "codex",
    payloads["codex"]!["shell"],
    { ask: ["exec"] },
    { approvals, env: ATTENDED },
  );
  const said = JSON.parse(answer.stdout) as { hookSpecificOutput: object };
  expect(Object.keys(said)).toEqual(["hookSpecificOutput"]);
  expect(Object.keys(said.hookSpecificOutput)).toEqual([
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
  ]);
  expect(answer.stdout).toContain('"permissionDecision":"deny"');
});

it("limits the length of reasons and masks secrets", async () => {
  const key = `sk-ant-api03-${"a1B2".repeat(20)}`;
  const entry = `exec(curl ${key} ${"x".repeat(900)}*)`;
  const payload = {
    ...payloads["claude"]!["shell"],
    tool_input: { command: `curl ${key} ${"x".repeat(901)}` },
  };
  const { verdict } = await ask("claude", payload, { deny: [entry] });
  expect(verdict.effect).toBe("deny");
  expect(verdict.reason.length).toBeLessThanOrEqual(1000);
  expect(verdict.reason).not.toContain(key);
});
