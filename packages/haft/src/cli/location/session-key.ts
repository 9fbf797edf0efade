import type { SessionKind } from "@haft/core";
import { sha256 } from "@noble/hashes/sha2.js";
import { realpathSync } from "node:fs";

export interface SessionConversation {
  kind: SessionKind;
  channel?: string | undefined;
  group?: string | undefined;
}

/** Returns a stable key for later grants; each kind, channel and group has another key, so that grants do not spread. */
export function commandLineSessionKey(
  workspaceDir: string,
  { kind, channel, group }: SessionConversation,
): string {
  const folder = realpathSync(workspaceDir);
  // Paths contain no NUL, so no folder has a group's key.
  const room =
    channel === undefined && group === undefined
      ? ""
      : `\0${JSON.stringify([channel ?? null, group ?? null])}`;
  // `node:crypto` costs 5 ms and 3 MB.
  const hash = Buffer.from(sha256(Buffer.from(folder + room)));
  return `cli:${kind}:${hash.toString("hex").slice(0, 10)}`;
}
