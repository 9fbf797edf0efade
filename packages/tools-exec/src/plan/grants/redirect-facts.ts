import type { FileIdentity } from "@haft/plugin-sdk";

export interface RedirectTarget {
  path: string;
  access: "read" | "write" | "append";
  realPath: string;
  identity: FileIdentity | undefined;
  folder?: FileIdentity | undefined;
  error?: string;
}

export function redirectFacts(
  targets: readonly RedirectTarget[],
  spell: (path: string) => string,
): Record<string, string> {
  const facts = targets.map(({ path, access, realPath, identity, error }) => [
    `redirect ${access} ${spell(path)}`,
    JSON.stringify([spell(realPath), stateOf(access, identity), error]),
  ]);
  return Object.fromEntries(facts) as Record<string, string>;
}

/**
 * Input counts with its content, output by its existence, because old content does not change the result. Appending keeps old content, so a
 * log may grow or appear.
 */
function stateOf(access: RedirectTarget["access"], identity: FileIdentity | undefined): string {
  if (access === "append") return identity?.isFolder === true ? "folder" : "file";
  if (identity === undefined) return "absent";
  return access === "read" ? (identity.sha256 ?? identity.version) : "present";
}
