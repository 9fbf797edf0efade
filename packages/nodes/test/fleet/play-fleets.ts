import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { FleetReport, FleetOptions } from "./fleet-program.ts";

const MAX_MS = 280_000;

/** Plays fleets in a process that has no time of its own. @param show gets what it tells beside what it found */
export async function playFleets(
  given: FleetOptions,
  show: (text: string) => void = () => {},
): Promise<FleetReport> {
  const program = join(import.meta.dirname, "fleet-program.ts");
  const flags = ["--conditions=@haft/source", "--no-warnings", "--max-semi-space-size=64"];
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
    // For one that hangs: nobody else could end it.
    timeout: MAX_MS,
    killSignal: "SIGKILL",
  });
  let last = "";
  for await (const text of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    last += text;
    const end = last.lastIndexOf("\n", last.length - 2);
    if (end < 0) continue;
    show(last.slice(0, end + 1));
    last = last.slice(end + 1);
  }
  const [code] =
    child.exitCode === null ? ((await once(child, "close")) as [number | null]) : [child.exitCode];
  if (code !== 0) throw new Error(`The program that plays fleets ended with ${code}.`);
  return JSON.parse(last) as FleetReport;
}
