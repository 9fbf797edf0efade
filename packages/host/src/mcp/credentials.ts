import type { McpCredentials } from "@haft/mcp";
import { PrivateFolder } from "@haft/system";
import { sha256 } from "@haft/utils";
import { join } from "node:path";

/** What signing in to servers left, in files that only their owner reads (0600), below the state folder. */
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

/** Forgets them. @returns whether there were any */
export function forgetCredentials(stateDir: string, file: string, server: string): boolean {
  return folderIn(stateDir).remove(toServerFileName(file, server));
}

function folderIn(stateDir: string): PrivateFolder {
  return new PrivateFolder(join(stateDir, "mcp-credentials"));
}

/** What a file of the state folder is called that is about one server: a name cannot be a path. @param file the operator's file that it stands in */
export function toServerFileName(file: string, server: string): string {
  return `${sha256(`${file}\0${server}`).slice(0, 32)}.json`;
}
