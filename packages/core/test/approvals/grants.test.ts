import { Type } from "@sinclair/typebox";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createMemoryApprovals } from "../../src/approvals/memory-approvals.ts";
import type { ApprovalAnswer } from "../../src/contract/approval-port.ts";
import type { CallPlan } from "../../src/contract/plan.ts";
import {
  createActCall,
  createActTool,
  alwaysAskPolicy,
  askEveryTimePolicy,
  openAskingSession,
  createProgramsPlan,
  createStore,
  getWaitingId,
} from "../support/approvals.ts";
import { getCode, makeTool, openSession, getOutcomeText, stubWorkspace } from "../support/kernel.ts";

type Opened = Awaited<ReturnType<typeof openAskingSession>>;

async function allow({ session, act }: Opened, value: string, given: ApprovalAnswer | "allow-always") {
  expect(getCode(await act(value))).toBe("PENDING_APPROVAL");
  return session.resolveApproval(getWaitingId(session), given);
}

const always: ApprovalAnswer = { decision: "allow-always" };
const program: ApprovalAnswer = { decision: "allow-always", grant: "program" };

describe("the coverage of a grant", () => {
  test("excludes other arguments", async () => {
    const opened = await openAskingSession();
    await allow(opened, "a", always);
    expect(getCode(await opened.act("b"))).toBe("PENDING_APPROVAL");
    expect(getCode(await opened.act("a"))).toBe("ok");
  });

  test("excludes another agent, session, folder, place or tool", async () => {
    const approvals = createMemoryApprovals();
    const one = { sessionKey: "s", agentId: "main" };
    const open = (more: object, tool = createActTool().tool) =>
      openSession({ tools: [tool], policy: alwaysAskPolicy, approvals, open: { ...one, ...more } });
    const first = await open({});
    await createActCall(first)("a");
    await first.resolveApproval(getWaitingId(first), "allow-always");

    const elsewhere = {
      ...stubWorkspace(),
      describe: () => ({ ...stubWorkspace().describe(), cwd: "/other" }),
    };
    const cases = [
      { agentId: "other" },
      { sessionKey: "t" },
      { workspace: elsewhere },
      { workspace: stubWorkspace("sandbox") },
    ];
    for (const other of cases) {
      expect(getCode(await createActCall(await open(other))("a"))).toBe("PENDING_APPROVAL");
    }
    const sameSession = await openSession({
      plugins: [{ id: "u", tools: [{ factory: () => createActTool().tool, names: ["act"] }] }],
      policy: alwaysAskPolicy,
      approvals,
      open: one,
    });
    expect(getCode(await createActCall(sameSession)("a"))).toBe("PENDING_APPROVAL");
    expect(getCode(await createActCall(await open({}))("a"))).toBe("ok");
  });

  test("excludes a call whose plan has another binding", async () => {
    let binding = "inode 1";
    const opened = await openAskingSession({ tool: { plan: () => ({ binding }) } });
    await allow(opened, "a", always);
    binding = "inode 2";
    expect(getCode(await opened.act("a"))).toBe("PENDING_APPROVAL");
    binding = "inode 1";
    expect(getCode(await opened.act("a"))).toBe("ok");
  });

  test("excludes another identity, and includes all calls of the same identity", async () => {
    const tool = { plan: ({ value }: { value: string }) => ({ identity: value.split(" ")[0]! }) };
    const opened = await openAskingSession({ tool });
    await allow(opened, "ls first", always);
    expect(getCode(await opened.act("ls second"))).toBe("ok");
    expect(getCode(await opened.act("rm second"))).toBe("PENDING_APPROVAL");
  });

  test("excludes arguments that look like the identity of an allowed call", async () => {
    // The canonical text of { value: "a" }, as an identity.
    let plan: CallPlan | undefined = { identity: "{5:value=1:a,}" };
    const opened = await openAskingSession({ tool: { plan: () => plan } });
    await allow(opened, "x", always);
    plan = undefined;
    expect(getCode(await opened.act("a"))).toBe("PENDING_APPROVAL");
  });

  test("does not grow by volatile arguments", async () => {
    const tool = makeTool("act", {
      parameters: Type.Object({ value: Type.String(), wait: Type.Optional(Type.Integer()) }),
      progress: { volatileArguments: ["value"] },
    });
    const session = await openSession({ tools: [tool], policy: alwaysAskPolicy });
    await createActCall(session)("ls");
    await session.resolveApproval(getWaitingId(session), "allow-always");
    expect(getCode(await createActCall(session)("rm -rf ."))).toBe("PENDING_APPROVAL");
  });

  test("requires a program grant for each program of the call", async () => {
    const tool = { plan: ({ value }: { value: string }) => createProgramsPlan(...value.split("|")) };
    const opened = await openAskingSession({ tool });
    await allow(opened, "git", program);
    expect(getCode(await opened.act("git|sh"))).toBe("PENDING_APPROVAL");
    expect((await opened.session.grants()).map(({ summary }) => summary)).toEqual(["git here"]);
    await opened.session.resolveApproval(getWaitingId(opened.session), program);
    expect(getCode(await opened.act("sh|git"))).toBe("ok");
    expect(await opened.session.grants()).toMatchObject([
      { summary: "git here", used: 1 },
      { summary: "sh here", used: 1 },
    ]);
    expect(getCode(await opened.act("sh|git|rm"))).toBe("PENDING_APPROVAL");
  });

  test("excludes programs that were allowed to another tool", async () => {
    const plan = () => createProgramsPlan("git");
    const tools = [createActTool({ plan }).tool, { ...createActTool({ plan }).tool, name: "act2" }];
    const session = await openSession({ tools, policy: alwaysAskPolicy });
    await createActCall(session)("a");
    await session.resolveApproval(getWaitingId(session), program);
    const other = { name: "act2", arguments: { value: "a" } };
    expect(getCode(await session.call(other))).toBe("PENDING_APPROVAL");
    await session.resolveApproval(getWaitingId(session), program);
    expect(getCode(await session.call({ ...other, arguments: { value: "b" } }))).toBe("ok");
    expect(await session.grants()).toHaveLength(2);
  });

  test("distinguishes exact grants and program grants", async () => {
    const opened = await openAskingSession({ tool: { plan: () => createProgramsPlan("git") } });
    await allow(opened, "a", always);
    expect(getCode(await opened.act("b"))).toBe("PENDING_APPROVAL");
    await opened.session.resolveApproval(getWaitingId(opened.session), program);
    expect(getCode(await opened.act("c"))).toBe("ok");
    expect((await opened.session.grants()).map(({ kind }) => kind)).toEqual(["exact", "program"]);
  });

  test("treats a program that a plan calls exact as a program", async () => {
    const odd: CallPlan = { programs: [{ kind: "exact", key: "/bin/git", summary: "git" }] };
    const opened = await openAskingSession({ tool: { plan: () => odd } });
    await opened.act("a");
    expect(opened.session.pendingApprovals()[0]!.offers.map(({ kind }) => kind)).toEqual([
      "exact",
      "program",
    ]);
  });
});

describe("the end of a grant", () => {
  test("comes when the grant expires", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = await openAskingSession();
    await allow(opened, "a", { decision: "allow-always", forMs: 30 });
    expect(getCode(await opened.act("a"))).toBe("ok");
    const { createdAt, expiresAt } = (await opened.session.grants())[0]!;
    expect(expiresAt! - createdAt).toBe(30);
    vi.setSystemTime(Date.now() + 31);
    expect(await opened.session.grants()).toEqual([]);
    expect(getCode(await opened.act("a"))).toBe("PENDING_APPROVAL");
  });

  test("comes when the grant is revoked", async () => {
    const opened = await openAskingSession();
    await allow(opened, "a", always);
    const { id } = (await opened.session.grants())[0]!;
    expect(await opened.session.revokeGrant(id)).toBe(true);
    expect(await opened.session.revokeGrant(id)).toBe(false);
    expect(getCode(await opened.act("a"))).toBe("PENDING_APPROVAL");
  });

  test("comes when the grant is revoked between lookup and use", async () => {
    const approvals = createStore({});
    const { useGrant } = approvals;
    approvals.useGrant = async (id) => {
      await approvals.revoke(id);
      return useGrant(id);
    };
    const opened = await openAskingSession({ approvals });
    await allow(opened, "a", always);
    expect(getCode(await opened.act("a"))).toBe("PENDING_APPROVAL");
    expect(opened.ran).toEqual(["a"]);
  });

  test("does not come when another session revokes the grant", async () => {
    const approvals = createMemoryApprovals();
    const opened = await openAskingSession({ approvals, open: { sessionKey: "s" } });
    await allow(opened, "a", always);
    const { id } = (await opened.session.grants())[0]!;
    const other = await openAskingSession({ approvals, open: { sessionKey: "t" } });
    expect(await other.session.revokeGrant(id)).toBe(false);
    expect(getCode(await opened.act("a"))).toBe("ok");
  });

  test("stores a longer grant although a shorter grant holds", async () => {
    const opened = await openAskingSession({
      tool: { plan: ({ value }) => createProgramsPlan(...value.split("|")) },
    });
    await allow(opened, "git", { ...program, forMs: 60_000 });
    await allow(opened, "git|sh", program);
    const grants = await opened.session.grants();
    expect(
      grants.filter(({ summary }) => summary === "git here").map(({ expiresAt }) => expiresAt),
    ).toContain(undefined);
  });
});

describe("allow-always", () => {
  test("is not offered if every call needs approval, and earlier grants do not count then", async () => {
    const approvals = createMemoryApprovals();
    const scope = { sessionKey: "s", agentId: "main" };
    const before = await openAskingSession({ approvals, open: scope });
    await allow(before, "a", always);
    const { session, ran, act } = await openAskingSession({
      approvals,
      open: scope,
      policy: askEveryTimePolicy,
    });
    expect(getCode(await act("a"))).toBe("PENDING_APPROVAL");
    expect(session.pendingApprovals()).toMatchObject([{ offers: [], noAlways: "ask is always" }]);
    for (const given of [always, program, "allow-always" as const]) {
      await expect(session.resolveApproval(getWaitingId(session), given)).rejects.toMatchObject({
        code: "INVALID_DECISION",
        message: expect.stringContaining("ask is always"),
      });
    }
    expect(ran).toEqual([]);
    expect(getCode(await session.resolveApproval(getWaitingId(session), "allow-once"))).toBe("ok");
    expect(getCode(await act("a"))).toBe("PENDING_APPROVAL");
  });

  test("is rejected for programs without any to trust, with the reason, and the call still waits", async () => {
    const { session, act } = await openAskingSession({
      tool: { plan: () => ({ noProgramGrant: "sh can run anything" }) },
    });
    await act("a");
    await expect(session.resolveApproval(getWaitingId(session), program)).rejects.toMatchObject({
      code: "INVALID_DECISION",
      message: expect.stringContaining("sh can run anything"),
    });
    expect(getCode(await session.resolveApproval(getWaitingId(session), always))).toBe("ok");
  });

  test("runs the call once and tells the model why, if an approver's grant cannot be stored", async () => {
    const ask = async () => always;
    const { session, ran, act } = await openAskingSession({
      approver: { ask },
      tool: { plan: () => ({ noAlways: "the command is unclear" }) },
    });
    const outcome = await act("a");
    expect(getOutcomeText(outcome)).toContain(
      "allowed only once; the grant could not be stored: the command is unclear.",
    );
    expect(ran).toEqual(["a"]);
    expect(await session.grants()).toEqual([]);
  });

  test.for([
    { decision: "allow-always", forMs: "60000" },
    { decision: "allow-always", forMs: Infinity },
    { decision: "allow-always", forMs: NaN },
    { decision: "allow-always", forMs: 0 },
    { decision: "allow-always", forMs: -1 },
    { decision: "allow-always", forMs: 1e300 },
    { decision: "allow-always", grant: "everything" },
    { decision: "allow-once", forMs: 5 },
    { decision: "deny", grant: "program" },
    { decision: "allow-always", by: { toString: () => "me" } },
    { decision: "toString" },
    null,
    [],
    "constructor",
    "__proto__",
    "yes",
    "",
    undefined,
    true,
  ])("rejects the answer %j, and the call still waits", async (given) => {
    const { session, act } = await openAskingSession();
    await act("a");
    await expect(
      session.resolveApproval(getWaitingId(session), given as ApprovalAnswer),
    ).rejects.toMatchObject({
      code: "INVALID_DECISION",
    });
    expect(session.pendingApprovals()).toHaveLength(1);
    expect(await session.grants()).toEqual([]);
  });
});

test("rejects an unreadable answer", async () => {
  const unreadable = {
    get decision(): never {
      throw new Error("no");
    },
  };
  const { session, ran, act } = await openAskingSession({ approver: { ask: async () => unreadable } });
  expect(getCode(await act("a"))).toBe("APPROVAL_UNAVAILABLE");
  expect(session.pendingApprovals()).toEqual([]);
  expect(ran).toEqual([]);
});

describe("a grant", () => {
  test("counts its uses and names its giver, and the ledger names the grant of a call", async () => {
    const opened = await openAskingSession();
    await allow(opened, "a", { ...always, by: "ann" });
    expect(await opened.session.grants()).toMatchObject([{ used: 0, by: "ann" }]);
    await opened.act("a");
    await opened.act("a");
    const [given] = await opened.session.grants();
    expect(given).toMatchObject({ used: 2, lastUsedAt: expect.any(Number) });
    expect(opened.session.ledger()).toMatchObject([{ decidedBy: "ann" }, { grantIds: [given!.id] }, {}]);
  });

  test("is stored once per subject", async () => {
    const approvals = createMemoryApprovals();
    const scope = { sessionKey: "s" };
    const [one, two] = [
      await openAskingSession({ approvals, open: scope }),
      await openAskingSession({ approvals, open: scope }),
    ];
    await Promise.all([one.act("a"), two.act("a")]);
    await one.session.resolveApproval(getWaitingId(one.session), "allow-always");
    await two.session.resolveApproval(getWaitingId(two.session), "allow-always");
    expect(await one.session.grants()).toHaveLength(1);
  });
});
