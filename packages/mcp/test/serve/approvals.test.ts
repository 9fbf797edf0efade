import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { ERAS, connectStdio, type Era } from "../support/connect-stdio.ts";
import { createTestMachine } from "../support/machine.ts";

const ASKS = {
  sessions: { main: { ask: ["take_note"] }, group: { grant: ["take_note"], ask: ["take_note"] } },
};
const CALL = { name: "take_note", arguments: { what: "milk" } };

/** A machine where notes are asked about, and a client whose person answers so. */
async function connectAnswering(
  era: Era,
  answer: ((request: ElicitRequest) => ElicitResult | Promise<ElicitResult>) | undefined,
  more: Parameters<typeof createTestMachine>[1] = {},
) {
  const there = await createTestMachine(ASKS, more);
  const questions: ElicitRequest[] = [];
  const over = await connectStdio(there.source, {
    era,
    ...(answer && { client: { capabilities: { elicitation: { form: {} } } } }),
    prepare(client: Client) {
      if (answer === undefined) return;
      client.setRequestHandler("elicitation/create", (request) => {
        questions.push(request);
        return answer(request);
      });
    },
  });
  return { ...there, ...over, questions };
}

const accept = (decision: string) => (): ElicitResult => ({ action: "accept", content: { decision } });
const factsOf = ({ _meta }: CallToolResult) =>
  _meta?.["haft/outcome"] as { kind: string; approvalId: string };

describe.each(ERAS)("calls that need approval, %s", (era) => {
  test.each([
    ["declined", () => ({ action: "decline" }) as const],
    ["cancelled", () => ({ action: "cancel" }) as const],
    ["answered with nonsense", accept("sure")],
    [
      "not answered, because the client fails",
      () => {
        throw new Error("no form here");
      },
    ],
  ])("a call that is %s waits and does not run", async (_, answer) => {
    const { client, actions, sessions } = await connectAnswering(era, answer);
    const result = await client.callTool(CALL).catch((thrown: unknown) => thrown);
    // A client of 2026 that fails at a form does not come back with the call.
    if (!(result instanceof Error)) {
      expect(factsOf(result as CallToolResult)).toMatchObject({ kind: "pending" });
      expect(JSON.stringify(result)).toContain("haft approvals answer");
    }
    expect(actions).toEqual([]);
    expect(sessions[0]?.ledger()).toMatchObject([{ toolName: "take_note", status: "pending" }]);
    expect(sessions[0]?.pendingApprovals()).toHaveLength(1);
  });

  test("without client questions, a repeated call returns the result of the call decided elsewhere", async () => {
    const { client, actions, sessions } = await connectAnswering(era, undefined);
    const first = await client.callTool(CALL);
    expect(first).toMatchObject({ isError: true, _meta: { "haft/outcome": { kind: "pending" } } });
    const outcome = await sessions[0]!.resolveApproval(factsOf(first).approvalId, "allow-once");
    expect(outcome.kind).toBe("ok");
    const second = await client.callTool(CALL);
    expect(second).toMatchObject({ content: [{ text: "noted milk" }, {}, { text: /waited for approval/ }] });
    expect(actions).toEqual(["milk"]);
    expect(sessions[0]!.ledger()).toHaveLength(1);
    // The result was fetched: now it is another call.
    expect(factsOf(await client.callTool(CALL)).kind).toBe("pending");
  });

  test("a repeat of a waiting call joins it, even while a decision arrives", async () => {
    const { client, actions, sessions } = await connectAnswering(era, undefined);
    const first = await client.callTool(CALL);
    const { approvalId } = factsOf(first);
    expect(factsOf(await client.callTool(CALL))).toMatchObject({ kind: "pending", approvalId });
    expect(sessions[0]!.pendingApprovals()).toHaveLength(1);
    const again = client.callTool(CALL);
    await sessions[0]!.resolveApproval(approvalId, "allow-once");
    expect(factsOf(await again).kind).toBe("ok");
    expect(actions).toEqual(["milk"]);
    expect(sessions[0]!.ledger()).toHaveLength(1);
  });

  test("allow-once runs one call, and the next call needs another approval", async () => {
    const { client, actions, sessions, questions } = await connectAnswering(era, accept("allow-once"));
    const result = await client.callTool(CALL);
    expect(factsOf(result)).toMatchObject({ kind: "ok" });
    expect(actions).toEqual(["milk"]);
    expect(sessions[0]!.ledger()).toMatchObject([{ toolName: "take_note", status: "completed" }]);
    await client.callTool({ ...CALL, arguments: { what: "bread" } });
    expect(questions).toHaveLength(2);
    const { message, requestedSchema } = questions[0]!.params as {
      message: string;
      requestedSchema: unknown;
    };
    expect(message).toContain("milk");
    expect(message).not.toContain("/approve");
    expect(requestedSchema).toMatchObject({
      properties: { decision: { enum: ["allow-once", "allow-always", "deny"] } },
    });
  });

  test("after allow-always, the same call needs no approval", async () => {
    const { client, actions, questions, sessions } = await connectAnswering(era, accept("allow-always"));
    await client.callTool(CALL);
    await client.callTool(CALL);
    expect(actions).toEqual(["milk", "milk"]);
    expect(questions).toHaveLength(1);
    expect(await sessions[0]!.grants()).toMatchObject([{ by: "the user of tester" }]);
  });

  test("a denied call does not run", async () => {
    const { client, actions, sessions } = await connectAnswering(era, accept("deny"));
    expect(await client.callTool(CALL)).toMatchObject({
      isError: true,
      _meta: { "haft/outcome": { kind: "blocked" } },
    });
    expect(actions).toEqual([]);
    expect(sessions[0]!.pendingApprovals()).toEqual([]);
  });

  test("clients cannot decide in a session with many senders", async () => {
    const { client, actions, questions } = await connectAnswering(era, accept("allow-once"), {
      kind: "group",
    });
    expect(factsOf(await client.callTool(CALL)).kind).toBe("pending");
    expect(questions).toEqual([]);
    expect(actions).toEqual([]);
  });
});
