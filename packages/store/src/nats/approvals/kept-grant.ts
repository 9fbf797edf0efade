import type { ApprovalGrant } from "@haft/core/kernel";

export interface KeptGrant {
  readonly grant: ApprovalGrant;
  /** By the clock of the server. */
  readonly endsAt?: number;
  /** By the key of the operator, where there is one. */
  readonly seal?: string;
}
