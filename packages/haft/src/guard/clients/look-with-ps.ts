import { findHostProgram, runProgramSync } from "@haft/workspace/internal/system";
import type { Above } from "./client-process.ts";

/** The same where there is no `/proc`; it takes as long as starting a program does. */
export function lookWithPs(pid: number): Above | undefined {
  const { program } = findHostProgram("ps");
  if (program === undefined) return undefined;
  let text: string;
  try {
    const columns = ["-o", "ppid=,stat=,lstart=,args="];
    text = runProgramSync(program, ["-p", String(pid), ...columns], { env: { LC_ALL: "C" } });
  } catch {
    return undefined;
  }
  const [, parent, state = "", started = "", words = ""] =
    /^\s*(\d+)\s+(\S+)\s+(\w+ +\w+ +\d+ +[\d:]+ +\d+)\s+(.*)$/m.exec(text) ?? [];
  if (parent === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    started: Date.parse(started),
    words: words.split(" "),
    zombie: state.startsWith("Z"),
  };
}
