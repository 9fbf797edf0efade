import type { McpCredentials } from "@haft/mcp";
import { PrivateFolder } from "@haft/workspace/internal/system";
import { createHash } from "node:crypto";
import { join } from "node:path";

/** What signing in to servers left, in files that only their owner reads (0600), below the state folder. */
export function credentialsIn(stateDir: string, file: string): (server: string) => McpCredentials {
  const folder = new PrivateFolder(join(stateDir, "mcp-credentials"));
  return (server) => {
    const name = `${createHash("sha256").update(`${file}\0${server}`).digest("hex").slice(0, 32)}.json`;
    return {
      read: () => folder.read(name)?.text,
      write(text) {
        folder.make();
        folder.replace(name, text);
      },
    };
  };
}

/** Forgets them. @returns whether there were any */
export function forgetCredentials(stateDir: string, file: string, server: string): boolean {
  const folder = new PrivateFolder(join(stateDir, "mcp-credentials"));
  return folder.remove(
    `${createHash("sha256").update(`${file}\0${server}`).digest("hex").slice(0, 32)}.json`,
  );
}
