import type { ApprovalAnswer, ApprovalRequestRecord, Logger } from "@haft/core";
import { approvalNotFound, requireAnswer, requireOffer, requireKnownOptions } from "@haft/core/internal";
import type { ApprovalGrant, ApprovalScope, ApprovalStore } from "@haft/core/kernel";
import { PrivateFolder, type PrivateText } from "@haft/workspace/internal/system";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { BrokenFiles } from "./broken-files.ts";
import { FolderGrants } from "./folder-grants.ts";
import { fileOf, idsIn, idTaken, readRecord } from "./record-files.ts";
import { answerText, isId, readAnswer, readRequest, readSecret, requestText } from "./records.ts";
import { watchFolder } from "./watch-folder.ts";

/** Milliseconds after which a request whose process gave no sign of life is not shown: it is gone. */
const SILENT_MS = 60_000;
/** Milliseconds an answer waits for the call it is for. */
const ANSWER_MS = 60_000;

/** Options of `createFolderApprovals`. */
export interface FolderApprovalsOptions {
  /** Told of files that cannot be used. */
  logger?: Pick<Logger, "warn">;
}

/** Approvals in a folder: what one process asks, another can answer, and what was granted stays. */
export interface FolderApprovals extends ApprovalStore {
  /** Resolves to whether the waiting call has taken the answer, within `withinMs` milliseconds. */
  wasHeard(approvalId: string, withinMs: number): Promise<boolean>;
  /** Removes what processes left that are gone: requests whose time is over, and answers nobody waits for. */
  sweep(): Promise<void>;
  /** Calls `look` when requests may have come or gone; returns the way to stop. Does not keep the process alive. */
  watchRequests(look: () => void): () => void;
  /** Withdraws the requests of this process that still wait, and stops watching. What was granted stays. */
  close(): Promise<void>;
}

/**
 * Keeps approvals in a folder of this user (0700, files 0600), shared by all processes that name it. Nothing is made
 * before something is kept. Arguments of calls are never written, secrets in what is shown are covered, and a file
 * that is damaged or not this user's is skipped and told of: it grants nothing.
 *
 * Codes: `APPROVAL_NOT_FOUND`, `INVALID_DECISION`, `GRANT_IMPOSSIBLE`, `STATE_FOLDER_UNSAFE`, `STATE_FOLDER_FAILED`,
 * `APPROVAL_ID_TAKEN`.
 *
 * @deprecated Its requests end with their process. Hosts keep approvals in the database of their state folder; for other
 * places there are the stores of `@haft/store`.
 */
export function createFolderApprovals(dir: string, options: FolderApprovalsOptions = {}): FolderApprovals {
  requireKnownOptions<FolderApprovalsOptions>("createFolderApprovals", options, { logger: true });
  return folderApprovals(dir, options);
}

/** The same for ourselves, who have to read what earlier versions wrote. */
export function folderApprovals(dir: string, options: FolderApprovalsOptions = {}): FolderApprovals {
  return new FolderStore(dir, options);
}

class FolderStore implements FolderApprovals {
  readonly #root: PrivateFolder;
  readonly #requests: PrivateFolder;
  readonly #answers: PrivateFolder;
  readonly #grants: FolderGrants;
  readonly #logger: FolderApprovalsOptions["logger"];
  /** Requests of this process, which are removed when it leaves, with what their answers have to repeat. */
  readonly #own = new Map<string, string>();
  readonly #waiting = new Map<string, (answer: ApprovalAnswer) => void>();
  readonly #broken = new BrokenFiles();
  /** Ends the watching, which goes on for as long as something waits. */
  #unwatch: (() => void) | undefined;

  constructor(dir: string, { logger }: FolderApprovalsOptions) {
    this.#root = new PrivateFolder(dir);
    this.#requests = new PrivateFolder(join(dir, "requests"));
    this.#answers = new PrivateFolder(join(dir, "answers"));
    this.#grants = new FolderGrants(join(dir, "grants"), this.#broken);
    this.#logger = logger;
  }

  async grants({ agentId, sessionKey }: ApprovalScope): Promise<readonly ApprovalGrant[]> {
    const all = await this.allGrants();
    return all.filter((grant) => grant.agentId === agentId && grant.sessionKey === sessionKey);
  }

  async allGrants(): Promise<readonly ApprovalGrant[]> {
    const grants = this.#grants.all();
    this.#tell();
    return grants;
  }

  async addGrant(grant: ApprovalGrant): Promise<void> {
    this.#root.make();
    this.#grants.add(grant);
  }

  async useGrant(id: string): Promise<boolean> {
    return this.#grants.use(id);
  }

  async revoke(id: string): Promise<boolean> {
    return this.#grants.revoke(id);
  }

  async addRequest(request: ApprovalRequestRecord): Promise<void> {
    const { approvalId } = request;
    if (!isId(approvalId)) throw idTaken(approvalId);
    this.#root.make();
    this.#sweep();
    // What was answered to somebody of this id who is gone is no answer to this one.
    this.#answers.remove(fileOf(approvalId));
    const secret = randomBytes(16).toString("hex");
    if (!this.#requests.create(fileOf(approvalId), requestText(request, secret))) throw idTaken(approvalId);
    this.#own.set(approvalId, secret);
  }

  async removeRequest(approvalId: string): Promise<void> {
    this.#stopWaiting(approvalId);
    if (!this.#own.delete(approvalId)) return;
    this.#requests.remove(fileOf(approvalId));
  }

  async requests(): Promise<readonly ApprovalRequestRecord[]> {
    const requests = idsIn(this.#requests).map((id) => this.#readRequest(id));
    this.#tell();
    return requests
      .filter((request) => request !== undefined)
      .toSorted((a, b) => a.requestedAt - b.requestedAt);
  }

  async answer(approvalId: string, given: ApprovalAnswer): Promise<void> {
    const answer = requireAnswer(given);
    const request = isId(approvalId) ? this.#readRequest(approvalId) : undefined;
    if (request === undefined) throw approvalNotFound(approvalId);
    requireOffer(request, answer);
    this.#answers.make();
    // Whoever moves the request away has the right to answer it; whoever asked and gave up removes it.
    const claimed = `.claimed-${randomBytes(8).toString("hex")}`;
    if (!this.#requests.claim(fileOf(approvalId), claimed)) throw approvalNotFound(approvalId);
    const secret = this.#takeSecret(claimed);
    if (secret === undefined) throw approvalNotFound(approvalId);
    if (!this.#answers.create(fileOf(approvalId), answerText(answer, secret)))
      throw approvalNotFound(approvalId);
    this.#hear();
  }

  /** Of a request that only this process can get at now. It is gone afterwards. */
  #takeSecret(claimed: string): string | undefined {
    try {
      const found = this.#requests.read(claimed);
      return found && readSecret(found.text);
    } finally {
      this.#requests.remove(claimed);
    }
  }

  answered(approvalId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      if (signal.aborted || !isId(approvalId)) return;
      this.#waiting.set(approvalId, resolve);
      signal.addEventListener("abort", () => this.#stopWaiting(approvalId), { once: true });
      this.#listen();
      this.#hear();
    });
  }

  async wasHeard(approvalId: string, withinMs: number): Promise<boolean> {
    const isThere = () => this.#answers.names().includes(fileOf(approvalId));
    for (const until = Date.now() + withinMs; Date.now() < until;) {
      if (!isThere()) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return !isThere();
  }

  watchRequests(look: () => void): () => void {
    this.#root.make();
    this.#requests.make();
    return watchFolder(this.#requests.path, look);
  }

  async close(): Promise<void> {
    for (const approvalId of this.#own.keys()) await this.removeRequest(approvalId);
    this.#waiting.clear();
    this.#stopListening();
  }

  #listen(): void {
    if (this.#unwatch !== undefined) return;
    this.#root.make();
    this.#answers.make();
    this.#unwatch = watchFolder(this.#answers.path, () => this.#hear());
  }

  #stopListening(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  #stopWaiting(approvalId: string): void {
    this.#waiting.delete(approvalId);
    if (this.#waiting.size === 0) this.#stopListening();
  }

  /** Takes the answers that are there, and shows that the others are still waited for. */
  #hear(): void {
    for (const [approvalId, tell] of this.#waiting) {
      const answer = this.#takeAnswer(approvalId);
      if (answer === undefined) {
        this.#requests.touch(fileOf(approvalId));
        continue;
      }
      this.#own.delete(approvalId);
      this.#stopWaiting(approvalId);
      tell(answer);
    }
  }

  #takeAnswer(approvalId: string): ApprovalAnswer | undefined {
    const file = fileOf(approvalId);
    const secret = this.#own.get(approvalId);
    if (secret === undefined) return undefined;
    try {
      const found = this.#answers.read(file);
      if (found === undefined) return undefined;
      const answer = readAnswer(found.text, secret);
      // Only one removes it, so it is heard once.
      return this.#answers.remove(file) ? answer : undefined;
    } catch (thrown) {
      this.#broken.add(join(this.#answers.path, file), thrown);
      this.#tell();
      this.#clear(file);
      return undefined;
    }
  }

  /** Makes room for an answer that can be understood. */
  #clear(file: string): void {
    try {
      this.#answers.remove(file);
      this.#broken.delete(join(this.#answers.path, file));
    } catch {
      // It is no file at all. Then the call is decided where it was asked, or not in time.
    }
  }

  #readRequest(id: string): ApprovalRequestRecord | undefined {
    return readRecord(this.#requests, id, this.#broken, ({ text, modifiedAt }) => {
      const request = readRequest(text, id);
      const now = Date.now();
      return request.expiresAt > now && now - modifiedAt < SILENT_MS ? request : undefined;
    });
  }

  problem(): string | undefined {
    return this.#broken.summary();
  }

  async sweep(): Promise<void> {
    this.#sweep();
  }

  #sweep(): void {
    const now = Date.now();
    this.#removeOld(this.#requests, ({ text }, id) => readRequest(text, id).expiresAt <= now);
    this.#removeOld(this.#answers, ({ modifiedAt }) => now - modifiedAt > ANSWER_MS);
    this.#tell();
  }

  #removeOld(folder: PrivateFolder, isOld: (found: PrivateText, id: string) => boolean): void {
    for (const id of idsIn(folder)) {
      const old = readRecord(folder, id, this.#broken, (found) => isOld(found, id));
      if (old === true) folder.remove(fileOf(id));
    }
  }

  /** What was found broken is told of once, all of it together. */
  #tell(): void {
    const message = this.#broken.takeFresh();
    if (message !== undefined) this.#logger?.warn(message);
  }
}
