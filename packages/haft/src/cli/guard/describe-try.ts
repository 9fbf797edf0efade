import { type Decision, getErrorMessage } from "@haft/core";
import { getEffect, type GuardCall, describeViolation } from "@haft/guard";
import type { HookRun } from "@haft/guard/internal/hook";

export function describeTry(run: HookRun, by: string): { text: string; json: object } {
  const { agent, payload, rules, decided, failure, answer } = run;
  const { mode = "enforce" } = rules?.policy?.config ?? {};
  const calls = (decided?.judgement?.judged ?? []).map((judged) => ({
    call: inWords(judged.call),
    tool: judged.tool.id,
    effect: getEffect(judged),
    reason:
      judged.violation === undefined
        ? reasonOf(judged.decision)
        : `It ${describeViolation(judged.violation)}.`,
    fix: judged.violation === undefined ? judged.decision?.fix : undefined,
  }));
  const effect =
    failure === undefined ? (decided?.judgement?.effect ?? decided?.verdict.effect ?? "allow") : "deny";
  const lines = [
    `${agent.label}: ${payload === undefined ? "the payload cannot be read" : `${payload.event} ${payload.toolName}`.trim()}`,
    ...(payload === undefined ? [] : [`in ${payload.cwd}, ${payload.attended ? "attended" : "unattended"}`]),
    ...calls.flatMap(({ call, tool, effect: each, reason, fix }) => [
      `  ${call}`,
      `    as ${tool}: ${each}. ${reason ?? ""}`,
      ...(fix === undefined ? [] : [`    fix: ${fix}`]),
    ]),
    `rules: ${by}`,
    ...(mode === "enforce" ? [] : [`mode: ${mode}, so these rules decide nothing`]),
    ...(rules?.notes ?? []),
    `decision: ${effect}${failure === undefined ? "" : `, because Haft could not decide: ${getErrorMessage(failure)}`}`,
    `exit code: ${answer.exitCode}`,
    `stdout: ${JSON.stringify(answer.stdout)}`,
    `stderr: ${JSON.stringify(answer.stderr)}`,
  ];
  const json = {
    agent: agent.id,
    event: payload?.event,
    cwd: payload?.cwd,
    sessionKey: payload?.sessionKey,
    subagent: payload?.subagent,
    attended: payload?.attended,
    calls,
    rules: by,
    notes: rules?.notes,
    effect,
    answer,
  };
  return { text: lines.join("\n"), json };
}

function reasonOf({ reason, shadow }: Partial<Decision> = {}): string | undefined {
  return shadow === undefined
    ? reason
    : `${reason} If the mode were enforce: ${shadow.effect}. ${shadow.reason}`;
}

function inWords(call: GuardCall): string {
  switch (call.kind) {
    case "command":
      return `runs ${JSON.stringify(call.text)} in ${call.cwd}`;
    case "files":
      return `${call.tool} ${call.paths.join(", ") || "of unknown files"}`;
    case "fetch":
      return `fetches ${call.urls.join(", ") || "an unknown address"}`;
    case "mcp":
      return `calls ${call.tool} of the MCP server ${call.server || "without a name"}`;
    case "client":
      return `calls its built-in ${call.name}`;
    case "unknown":
      return `calls ${call.name}, which this version of Haft does not know`;
  }
}
