import { attempt, findHostProgram, runProgramSync } from "@haft/system";
import type { AncestorProcess } from "./client-process.ts";

export function findProcessWithPs(pid: number): AncestorProcess | undefined {
  const { program } = findHostProgram("ps");
  if (program === undefined) return undefined;
  const words = ["-p", String(pid), "-o", "ppid=,stat=,lstart=,args="];
  const text = attempt(() => runProgramSync(program, words, { env: { LC_ALL: "C" } })) ?? "";
  const [, parent, state = "", started = "", args = ""] =
    /^\s*(\d+)\s+(\S+)\s+(\w+ +\w+ +\d+ +[\d:]+ +\d+)\s+(.*)$/m.exec(text) ?? [];
  if (parent === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    started: Date.parse(started),
    words: args.split(" "),
    zombie: state.startsWith("Z"),
  };
}
