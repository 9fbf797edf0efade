import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A server that is a program in a workspace, as it would be in a project: it notes what is done to it, and what it says of its
 * tool `echo` is another once there is a description.
 */
export function createMcpServer(folder: string) {
  const program = join(import.meta.dirname, "../../../mcp/test/mount/server-program.ts");
  copyFileSync(program, join(folder, "server-program.ts"));
  const notes = join(folder, "notes");
  return {
    words: [process.execPath, "--no-warnings", "server-program.ts", "", "notes"],
    settings: { command: process.execPath, args: ["--no-warnings", "server-program.ts", "", "notes"] },
    /** A file: what `echo` is described as from now on. */
    description: `${notes}.description`,
    noted: () => (existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : []),
  };
}
