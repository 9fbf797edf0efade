import type { ApprovalAnswer, ApprovalRequestRecord } from "@haft/core";
import { listChoices } from "@haft/core/internal";
import { formatApproval } from "@haft/core/kernel";
import { escapeInvisible } from "@haft/utils";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";

/** Form option for this call's programs with any arguments. */
const ALWAYS_PROGRAM = "allow-always-program";
const MAX_NAME_LENGTH = 64;

export type FormResponse = { action?: unknown; content?: unknown } | undefined;

export function approvalForm(request: ApprovalRequestRecord): ElicitRequestFormParams {
  return {
    mode: "form",
    message: formatApproval(request)
      .split("\n")
      // A bar before each line prevents imitations of the form.
      .filter((line) => !line.startsWith("Reply with: "))
      .join("\n"),
    requestedSchema: {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description: "allow-once: this call. deny: it does not run.",
          enum: decisionsOf(request),
        },
      },
      required: ["decision"],
    },
  };
}

/**
 * Reads a filled-in form. Other responses than decisions are `undefined`, and the call still waits.
 *
 * @param client name for the record
 */
export function toClientAnswer(
  request: ApprovalRequestRecord,
  response: FormResponse,
  client: string | undefined,
): ApprovalAnswer | undefined {
  if (response?.action !== "accept") return undefined;
  const { decision } = Object(response.content) as { decision?: unknown };
  if (typeof decision !== "string" || !decisionsOf(request).includes(decision)) return undefined;
  const by = `the user of ${escapeInvisible((client ?? "an MCP client").slice(0, MAX_NAME_LENGTH))}`;
  if (decision === ALWAYS_PROGRAM) return { decision: "allow-always", grant: "program", by };
  return { decision: decision as ApprovalAnswer["decision"], by };
}

function decisionsOf(request: ApprovalRequestRecord): string[] {
  const choices = listChoices(request);
  const canTrustProgram = request.offers.some(({ kind }) => kind === "program");
  return canTrustProgram ? [...choices.slice(0, -1), ALWAYS_PROGRAM, choices.at(-1)!] : choices;
}
