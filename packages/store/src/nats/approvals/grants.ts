import { withoutUndefined } from "@haft/core";
import { redactSecrets } from "@haft/core/internal";
import type { ApprovalGrant, ApprovalScope } from "@haft/core/kernel";
import { idTaken } from "../../errors.ts";
import type { Link } from "../connection/link.ts";
import { idToken } from "../connection/names.ts";
import { Bucket } from "./bucket.ts";
import type { KeptGrant, Seals } from "./seals.ts";

export class Grants {
  readonly #link: Link;
  readonly #kept: Bucket<KeptGrant>;
  readonly #seals: Seals;

  constructor(link: Link, seals: Seals) {
    this.#link = link;
    this.#seals = seals;
    this.#kept = new Bucket(link, "grant");
  }

  async all(scope?: ApprovalScope): Promise<ApprovalGrant[]> {
    const kept = await this.#kept.list();
    const now = this.#link.clock.now();
    return kept
      .flatMap(({ key, value }) => (isOver(value, now) || !this.#isOurs(key, value) ? [] : [value.grant]))
      .filter(
        ({ agentId, sessionKey }) =>
          scope === undefined || (agentId === scope.agentId && sessionKey === scope.sessionKey),
      )
      .toSorted((a, b) => a.createdAt - b.createdAt);
  }

  async add(grant: ApprovalGrant): Promise<void> {
    const { id, expiresAt, summary } = grant;
    const now = await this.#link.serverNow();
    const endsAt = expiresAt === undefined ? undefined : now + expiresAt - Date.now();
    const seal = this.#seals.ofGrant(grant, endsAt);
    const kept = { grant: { ...grant, summary: redactSecrets(summary) }, endsAt, seal };
    if (!(await this.#kept.create(idToken(id), withoutUndefined(kept)))) throw idTaken(id);
  }

  async use(id: string): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#kept.change(idToken(id), (kept) => {
      if (isOver(kept, now) || !this.#seals.isOurs(kept)) return undefined;
      const { grant } = kept;
      return { ...kept, grant: { ...grant, used: grant.used + 1, lastUsedAt: Date.now() } };
    });
  }

  async revoke(id: string): Promise<boolean> {
    const now = await this.#link.serverNow();
    return await this.#kept.change(idToken(id), (kept) => (isOver(kept, now) ? undefined : null));
  }

  async sweep(): Promise<void> {
    const kept = await this.#kept.list();
    const now = this.#link.clock.now();
    for (const { key, value } of kept) if (isOver(value, now)) await this.#kept.forget(key);
  }

  #isOurs(key: string, kept: KeptGrant): boolean {
    const isOurs = this.#seals.isOurs(kept);
    if (!isOurs) this.#kept.note(key, "it has no seal of `sealKeyFile`");
    return isOurs;
  }

  problem(): string | undefined {
    return this.#kept.problem();
  }
}

function isOver({ endsAt }: KeptGrant, now: number): boolean {
  return endsAt !== undefined && endsAt <= now;
}
