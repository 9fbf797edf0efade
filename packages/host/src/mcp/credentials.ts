import type { McpCredentials } from "@haft/mcp";
import { PrivateFolder } from "@haft/system";
import { sha256 } from "@haft/utils";
import { join } from "node:path";

/** Opens the servers' credentials: files in the state folder that only their owner can read (0600). */
export function openCredentials(stateDir: string, file: string): (server: string) => McpCredentials {
  const folder = folderIn(stateDir);
  return (server) => {
    const name = toServerFileName(file, server);
    return {
      read: () => folder.read(name)?.text,
      write(text) {
        folder.make();
        folder.replace(name, text);
      },
    };
  };
}

/** @returns whether credentials existed */
export function forgetCredentials(stateDir: string, file: string, server: string): boolean {
  return folderIn(stateDir).remove(toServerFileName(file, server));
}

function folderIn(stateDir: string): PrivateFolder {
  return new PrivateFolder(join(stateDir, "mcp-credentials"));
}

/**
 * Returns a server's file name, hashed because a name is not a safe path. @param file the operator's file
 * that names the server
 */
export function toServerFileName(file: string, server: string): string {
  return `${sha256(`${file}\0${server}`).slice(0, 32)}.json`;
}
