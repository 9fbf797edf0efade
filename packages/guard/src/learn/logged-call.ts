import type { AuditEntry } from "@haft/config";
import { hash } from "node:crypto";
import { agents } from "../agents/agents.ts";
import type { GuardAgent } from "../contract/agent.ts";
import type { GuardPayload } from "../contract/payload.ts";

export interface LoggedCall {
  agent: GuardAgent;
  payload: GuardPayload;
  root: string;
}

/** The logged arguments are incomplete. */
const COVERED = /\[secret\]|"elided":true|"sha256":"[0-9a-f]{64}"/;

/** `why` is the rest of a sentence. */
export function parseLoggedCall(entry: AuditEntry): LoggedCall | { why: string } {
  const { guard, tool, toolName, args, session, sessionKey } = entry;
  const agent = guard && agents.get(guard.agent);
  if (guard === undefined || agent === undefined) return { why: "its agent is unknown" };
  if (COVERED.test(JSON.stringify(args) ?? "")) return { why: "a secret in it is masked, or it is too long" };
  const { event, folder, project = folder } = guard;
  const spelled = {
    session_id: "",
    cwd: folder,
    hook_event_name: event,
    workspace_roots: [folder],
    tool_name: toolName,
    tool_input: args,
    mcp_server_name: tool?.mcp?.server,
    toolName,
    toolArgs: args,
    tool: toolName,
    args,
  };
  try {
    const read = agent.read(spelled, { event, env: {}, cwd: folder });
    if (read.calls.length === 0) return { why: "it is not a call" };
    const { model, parent } = session;
    const payload: GuardPayload = {
      ...read,
      sessionKey,
      ...(model === "" ? {} : { model }),
      ...(parent === undefined ? {} : { subagent: "a subagent" }),
    };
    return { agent, payload, root: project };
  } catch {
    return { why: "it cannot be read as a call" };
  }
}

/** Equal keys get equal decisions. */
export function toDecisionKey({ guard, toolName, args, session }: AuditEntry): string {
  const { agent = "", event = "", folder = "", project = "" } = guard ?? {};
  return hash("sha256", JSON.stringify([agent, event, folder, project, toolName, args, session]));
}
