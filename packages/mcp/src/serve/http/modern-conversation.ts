import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";

/** Characters of what a client calls itself. A longer one is not told apart from others. */
const LONGEST = 300;

/** Which conversation a request of the revision of 2026 is of. */
export interface ModernConversation {
  /** The same for all requests of it. No name that a client gives reads like what a client calls itself. */
  readonly key: string;
  /** Others of the same client may have the same key: nothing that is sent tells them apart. */
  readonly isShared: boolean;
}

/**
 * That revision has no sessions. A conversation is the one that `Haft-Session` names; without this header it is told apart from those
 * of other clients, by what each request says of its client, and not from other conversations of the same client.
 */
export function modernConversation(
  name: string | undefined,
  messages: readonly unknown[],
): ModernConversation {
  if (name !== undefined) return { key: name, isShared: false };
  const [message] = messages;
  const meta = membersOf(membersOf(membersOf(message)["params"])["_meta"]);
  const { name: client, version } = membersOf(meta[CLIENT_INFO_META_KEY]);
  const key = JSON.stringify(["client", client, version]);
  return { key: key.length > LONGEST ? "[]" : key, isShared: true };
}

function membersOf(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}
