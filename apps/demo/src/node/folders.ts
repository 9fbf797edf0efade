import { join } from "node:path";

/** The project in the folder of the node. */
export function projectOf(machine: string): string {
  return join(machine, "project");
}

/** What the bell of the node writes into: a line each time it rings. */
export function bellOf(machine: string): string {
  return join(machine, "bell.log");
}
