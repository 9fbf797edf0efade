import { HaftError } from "@haft/core";
import type { CallRecord, LedgerRun, LedgerStore, RunOpening } from "@haft/core/internal";
import { equal, fail, ok } from "node:assert/strict";

export function sampleOpening(parts: Partial<RunOpening> = {}): RunOpening {
  return {
    sessionKey: "s",
    facts: { kind: "main", agentId: "main", model: "", messageChannel: "" },
    workspace: { place: "host", cwd: "/work" },
    mode: "plan",
    ...parts,
  };
}

export function sampleCall(seq: number, parts: Partial<CallRecord> = {}): CallRecord {
  return {
    seq,
    toolCallId: `call_${seq}`,
    epoch: 1,
    toolName: "write",
    status: "completed",
    createdAt: 1_000 + seq,
    startedAt: 2_000 + seq,
    endedAt: 3_000 + seq,
    outcome: "ok",
    receipt: "committed",
    args: { path: `file ${seq}`, nested: [{ "a.b": "ü\u0000\ud83d\ude00" }, null, 1.5, true] },
    argsDigest: `args-${seq}`,
    key: `key-${seq}`,
    fingerprint: `result-${seq}`,
    changes: true,
    plan: { subjects: { paths: [{ path: `/work/dir/file ${seq}`, relative: "x", access: "write" }] } },
    result: { bytes: 12, sha256: "00", head: "done" },
    ...parts,
  };
}

export function sampleExecutingCall(seq: number, parts: Partial<CallRecord> = {}): CallRecord {
  const { endedAt: _e, outcome: _o, receipt: _r, result: _x, fingerprint: _f, ...begun } = sampleCall(seq);
  return { ...begun, status: "executing", ...parts };
}

export const REFUSED_CALL: Partial<CallRecord> = {
  toolName: "read",
  status: "failed",
  outcome: "blocked",
  code: "POLICY_DENIED",
};

export const WAITING_CALL: Partial<CallRecord> = { status: "pending", argsWhole: true, approvalId: "a" };

export async function createClosedRun(
  store: LedgerStore,
  calls: readonly CallRecord[],
  parts?: Partial<RunOpening>,
): Promise<string> {
  const run = await store.open(sampleOpening(parts));
  await run.write(calls);
  await run.close();
  return run.record.runId;
}

export async function writeCalls(run: LedgerRun, calls: readonly CallRecord[]): Promise<void> {
  await run.write(calls);
}

export async function expectRejection(code: string, act: () => unknown): Promise<HaftError> {
  const thrown = await Promise.resolve()
    .then(act)
    .then(
      () => fail(`It was to fail with ${code}, and did not.`),
      (error: unknown) => error,
    );
  ok(HaftError.is(thrown), `It was to fail with ${code}, and failed with ${String(thrown)}`);
  equal(thrown.code, code);
  return thrown;
}

export async function listCallIds(
  store: LedgerStore,
  query: Parameters<LedgerStore["calls"]>[0],
  between: () => unknown = () => undefined,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.calls({ ...query, ...(after !== undefined && { after }) });
    ids.push(...page.items.map(({ toolCallId }) => toolCallId));
    after = page.next;
    await between();
  } while (after !== undefined);
  return ids;
}

export type LedgerCase = (store: LedgerStore) => Promise<void>;
