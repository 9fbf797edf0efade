import type { ApprovalGrant } from "@haft/core/kernel";

export interface KeptGrant {
  readonly grant: ApprovalGrant;
  /** By the clock of the server. */
  readonly endsAt?: number;
  readonly seal?: string;
}
