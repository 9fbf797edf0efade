import { ofArguments } from "./arguments.ts";
import { ofCommands } from "./commands.ts";
import type { Difference } from "./difference.ts";
import { ofFiles, ofPatches } from "./files.ts";
import { ofSessions } from "./sessions.ts";

/** Every place where Haft differs on purpose, by what it is about. docs/reference/compatibility.md is made of this. */
export const differences: Readonly<Record<string, { file: string; rows: readonly Difference[] }>> = {
  Arguments: { file: "arguments.ts", rows: ofArguments },
  Files: { file: "files.ts", rows: ofFiles },
  Patches: { file: "files.ts", rows: ofPatches },
  Commands: { file: "commands.ts", rows: ofCommands },
  "Sessions, names and outcomes": { file: "sessions.ts", rows: ofSessions },
};
