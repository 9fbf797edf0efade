import { type ApprovalAnswer, type ApprovalRequestRecord, HaftError } from "@haft/core";
import { approvalNotFound, didYouMean, nearestNames } from "@haft/core/internal";
import { type ApprovalGrant, type ApprovalStore, createMemoryApprovals } from "@haft/core/kernel";
import type { NoticeRecord, NoticeStore } from "@haft/store";
import { type Heard, whetherHeard } from "../../approvals/heard.ts";
import { isKept, openPlace, type PlaceValues, readPlace } from "../place/kept-store.ts";
import { resumeCommand } from "../run/resume-command.ts";

/** Requests that are named to whoever asked for one that is not there. */
const NAMED = 10;

export interface OpenApprovals {
  requests(): Promise<readonly ApprovalRequestRecord[]>;
  /** @throws HaftError `APPROVAL_NOT_FOUND`, with what is known of the id */
  request(id: string): Promise<ApprovalRequestRecord>;
  answer(request: ApprovalRequestRecord, answer: ApprovalAnswer, withinMs: number): Promise<Heard>;
  grants(): Promise<readonly ApprovalGrant[]>;
  revoke(id: string): Promise<boolean>;
  watch(look: () => void): void;
  howToResume(request: ApprovalRequestRecord): Promise<string | undefined>;
  /** Who was told of these, and who could not be. */
  notices(approvalIds: readonly string[]): Promise<readonly NoticeRecord[]>;
  close(): Promise<void>;
}

/** @param keep make what is not there yet; otherwise nothing is made by looking */
export async function openApprovals(values: PlaceValues, keep: boolean): Promise<OpenApprovals> {
  const place = await readPlace(values);
  if (!keep && !isKept(place)) return new Approvals(createMemoryApprovals());
  const store = await openPlace(place);
  const { approvals, ledger, notices } = store;
  await approvals.sweep?.();
  const resume = async (runId: string, toolCallId: string) => {
    // One that was let go does not run when its session is continued.
    const { status } = (await ledger.call(runId, toolCallId)) ?? {};
    if (status === "completed" || status === "failed") return undefined;
    const run = await ledger.run(runId);
    return run && resumeCommand(run);
  };
  return new Approvals(approvals, { notices, resume, close: () => store.close() });
}

interface Beside {
  notices?: NoticeStore;
  resume?: (runId: string, toolCallId: string) => Promise<string | undefined>;
  close?: () => Promise<void>;
}

class Approvals implements OpenApprovals {
  readonly #store: ApprovalStore;
  readonly #notices: NoticeStore | undefined;
  readonly #resume: Beside["resume"];
  readonly #close: Beside["close"];

  constructor(store: ApprovalStore, { notices, resume, close }: Beside = {}) {
    this.#store = store;
    this.#notices = notices;
    this.#resume = resume;
    this.#close = close;
  }

  async howToResume({ runId, toolCallId }: ApprovalRequestRecord): Promise<string | undefined> {
    return runId === undefined ? undefined : this.#resume?.(runId, toolCallId);
  }

  async notices(approvalIds: readonly string[]): Promise<readonly NoticeRecord[]> {
    return (await this.#notices?.of(approvalIds)) ?? [];
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    return this.#store.requests();
  }

  async request(id: string): Promise<ApprovalRequestRecord> {
    const requests = await this.requests();
    const request = requests.find(({ approvalId }) => approvalId === id);
    if (request) return request;
    const found = await this.#store.find?.(id);
    const { code, category, message } = approvalNotFound(JSON.stringify(id), found?.state ?? "unknown");
    const ids = requests.map(({ approvalId }) => approvalId);
    throw new HaftError(code, message, { category, fix: whatElse(id, ids) });
  }

  async answer(request: ApprovalRequestRecord, answer: ApprovalAnswer, withinMs: number): Promise<Heard> {
    const { approvalId } = request;
    await this.#store.answer(approvalId, answer);
    return whetherHeard(this.#store, approvalId, withinMs);
  }

  async grants(): Promise<readonly ApprovalGrant[]> {
    return this.#store.allGrants();
  }

  async revoke(id: string): Promise<boolean> {
    return this.#store.revoke(id);
  }

  async close(): Promise<void> {
    await this.#close?.();
  }

  watch(look: () => void): void {
    this.#store.watchRequests?.(look);
  }
}

function whatElse(id: string, ids: readonly string[]): string {
  if (ids.length === 0) return "None waits now; `haft approvals --watch` asks when one comes.";
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more; \`haft approvals\` lists them` : "";
  return didYouMean(nearestNames(id, ids)).trim() || `These wait: ${ids.slice(0, NAMED).join(", ")}${more}.`;
}
