import type { SessionKind } from "@haft/core";
import { sha256 } from "@noble/hashes/sha2.js";
import { realpathSync } from "node:fs";

export interface SessionConversation {
  kind: SessionKind;
  channel?: string | undefined;
  group?: string | undefined;
}

/**
 * The key of the command line's sessions in one folder: the same from run to run, so that what was allowed for good is
 * remembered. Another for each kind of session, channel and group: what the owner allowed themselves, they did not allow
 * a group, nor one group what they allowed another.
 */
export function commandLineSessionKey(
  workspaceDir: string,
  { kind, channel, group }: SessionConversation,
): string {
  const folder = realpathSync(workspaceDir);
  // No path has a NUL, so no folder can pass for a room.
  const room =
    channel === undefined && group === undefined
      ? ""
      : `\0${JSON.stringify([channel ?? null, group ?? null])}`;
  // With Node's own a start takes 5 ms and 3 MB more, since all of its cryptography is loaded with it.
  const hash = Buffer.from(sha256(Buffer.from(folder + room)));
  return `cli:${kind}:${hash.toString("hex").slice(0, 10)}`;
}
