import type { SessionKind } from "@haft/core";
import { sha256 } from "@noble/hashes/sha2.js";
import { realpathSync } from "node:fs";

export interface SessionConversation {
  kind: SessionKind;
  channel?: string | undefined;
  group?: string | undefined;
}

/**
 * Returns a stable key, so that grants apply to later runs. Each kind of session, channel and group has another key: a grant of the owner
 * does
 * not apply to a group, nor a grant of one group to another.
 */
export function commandLineSessionKey(
  workspaceDir: string,
  { kind, channel, group }: SessionConversation,
): string {
  const folder = realpathSync(workspaceDir);
  // A path cannot contain NUL, so no folder has the key of a group.
  const room =
    channel === undefined && group === undefined
      ? ""
      : `\0${JSON.stringify([channel ?? null, group ?? null])}`;
  // `node:crypto` adds 5 ms and 3 MB to the start.
  const hash = Buffer.from(sha256(Buffer.from(folder + room)));
  return `cli:${kind}:${hash.toString("hex").slice(0, 10)}`;
}
