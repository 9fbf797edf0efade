import { type ApprovalRequestRecord, type CallSubjects, isPromptComplete, promptText } from "@haft/core";
import { DEFAULT_APPROVAL_MS, MAX_WAITING, newShortId, riskMarks, type RiskMark } from "@haft/core/internal";
import type { ApprovalStore } from "@haft/core/kernel";
import { hash } from "node:crypto";
import type { GuardApprovals, GuardQuestion } from "../contract/approvals.ts";
import { guardCallId } from "./guard-call-id.ts";

/**
 * Returns approvals in the store of all other requests. An answer waits until the agent makes the same call, which consumes it. A permanent
 * answer grants this exact call in this conversation.
 *
 * @example
 * ```ts
 * import type { ApprovalStore } from "@haft/core/kernel";
 * import { storeApprovals } from "@haft/guard/internal/agents";
 * declare const store: ApprovalStore;
 * const approvals = storeApprovals(store);
 * ```
 */
export function storeApprovals(store: ApprovalStore): GuardApprovals {
  return {
    async ask(question) {
      const { sessionKey, agent } = question.payload;
      const scope = { agentId: agent, sessionKey };
      const parts = Object.fromEntries(
        Object.entries(question.parts).map(([name, part]) => [name, hash("sha256", part)]),
      );
      const exactKey = hash(
        "sha256",
        JSON.stringify([question.tool.id, Object.entries(parts).toSorted(([a], [b]) => (a < b ? -1 : 1))]),
      );
      const grants = await store.grants(scope);
      const grant = grants.find(({ kind, key }) => kind === "exact" && key === exactKey);
      if (grant !== undefined && (await store.useGrant(grant.id))) return { decided: "allow" };
      const taken = await store.takeAnswer?.({ ...scope, exactKey });
      if (taken !== undefined) {
        const { decision, forMs, by } = taken.answer;
        if (decision === "allow-always")
          await store.addGrant({
            ...scope,
            ...offerOf(question, exactKey),
            id: newShortId(() => false),
            toolId: question.tool.id,
            createdAt: Date.now(),
            ...(forMs === undefined ? {} : { expiresAt: Date.now() + forMs }),
            ...(by === undefined ? {} : { by }),
            used: 1,
            lastUsedAt: Date.now(),
          });
        return { decided: decision === "deny" ? "deny" : "allow" };
      }
      const open = await store.requests();
      const waiting = open.filter((each) => each.sessionKey === sessionKey && each.agentId === agent);
      const same = waiting.find((each) => each.exactKey === exactKey);
      if (same !== undefined) return { approvalId: same.approvalId };
      if (waiting.length >= MAX_WAITING) return { waiting: waiting.length };
      const approvalId = newShortId((id) => open.some((each) => each.approvalId === id));
      await store.addRequest(requestOf(question, { approvalId, exactKey, parts }));
      return { approvalId };
    },
  };
}

function requestOf(
  question: GuardQuestion,
  { approvalId, exactKey, parts }: { approvalId: string; exactKey: string; parts: Record<string, string> },
): ApprovalRequestRecord {
  const { payload, tool, reason, preview } = question;
  const offered = isPromptComplete(preview)
    ? { offers: [offerOf(question, exactKey)] }
    : { offers: [], noAlways: "the prompt is incomplete" };
  const risks = risksOf(question);
  const requestedAt = Date.now();
  return {
    agentId: payload.agent,
    sessionKey: payload.sessionKey,
    approvalId,
    toolCallId: guardCallId(approvalId),
    sessionKind: "main",
    tool,
    args: payload.toolInput,
    reason,
    preview: [{ type: "text", text: promptText(preview) }],
    ...(risks.length === 0 ? {} : { risks }),
    ...offered,
    requestedAt,
    expiresAt: requestedAt + DEFAULT_APPROVAL_MS,
    exactKey,
    parts,
  };
}

/** Another program runs the command. */
function risksOf({ tool, payload: { calls, cwd, toolInput } }: GuardQuestion): RiskMark[] {
  const mounts = [{ name: "", path: cwd, access: "rw" as const }];
  const marks = calls.flatMap((call) =>
    riskMarks({ tool, args: toolInput, plan: { subjects: subjectsOf(call, cwd) }, mounts }),
  );
  const unique = [...new Map(marks.map((mark) => [mark.text, mark])).values()];
  return unique.map((mark) => ({ ...mark, text: promptText(mark.text).replaceAll("\n", "\\n") }));
}

function subjectsOf(call: GuardQuestion["payload"]["calls"][number], cwd: string): CallSubjects {
  if (call.kind === "command")
    return { command: { text: call.text, cwd: call.cwd, commands: [], unclear: "" } };
  if (call.kind !== "files") return {};
  const access = ["write", "edit", "apply_patch"].includes(call.tool)
    ? ("write" as const)
    : ("read" as const);
  return {
    paths: call.paths.map((path) => ({
      path,
      relative: path,
      access,
      ...(call.recursive && { recursive: true }),
      ...(path !== cwd && !path.startsWith(`${cwd}/`) && { outside: true as const }),
    })),
  };
}

function offerOf({ preview }: GuardQuestion, key: string): { kind: "exact"; key: string; summary: string } {
  const summary = promptText(preview).replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed();
  return { kind: "exact", key, summary };
}
