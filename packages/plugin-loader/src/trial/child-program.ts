import { checkValue } from "@haft/core/internal";
import { attempt, builtFile } from "@haft/system";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A machine that is busy with other things is no fault of the plugin. After so many times the limit the program is ended all the same. */
export const MAX_STARVED_LIMITS = 6;
const SHORTEST_LOOK_MS = 50;

/** Arguments that start a program of this package: beside the module at `from` in the sources, else in `dist`. */
export function getProgramArguments(from: string, name: string): string[] {
  const program = from.endsWith(".ts")
    ? new URL(`./${name}.ts`, from)
    : builtFile("@haft/plugin-loader", `${name}.js`, from);
  const conditions = process.execArgv.filter((word) => /^(?:--conditions|-C)=/.test(word));
  return [...conditions, fileURLToPath(program)];
}

/** Calls `onLate` when a process was silent for too long, without the time in which the machine did not let it run. */
export function watchSilence(
  pid: number | undefined,
  limitMs: number,
  onLate: () => void,
): { heard(): void; stop(): void } {
  const now = () => ({ at: performance.now(), starved: starvedMs(pid) });
  let last = now();
  const look = () => {
    const { at, starved } = now();
    const silent = at - last.at;
    const left = limitMs - (silent - (starved - last.starved));
    if (left <= 0 || silent >= limitMs * MAX_STARVED_LIMITS) return onLate();
    timer = setTimeout(look, Math.max(left, SHORTEST_LOOK_MS));
  };
  let timer = setTimeout(look, limitMs);
  return {
    heard() {
      last = now();
    },
    stop: () => clearTimeout(timer),
  };
}

function starvedMs(pid: number | undefined): number {
  const stat = attempt(() => readFileSync(`/proc/${pid}/schedstat`, "latin1"));
  return Number(stat?.split(" ")[1] ?? 0) / 1e6;
}

/** An object with these members, all of them required unless said otherwise. */
export function objectShape(
  properties: Readonly<Record<string, object>>,
  required = Object.keys(properties),
) {
  return { type: "object", properties, required };
}

/** A line of JSON that has one of these shapes. A plugin can write to that descriptor, too, so all else is `undefined`. */
export function readChildLine(line: string, shapes: readonly object[]): unknown {
  const said = attempt(() => JSON.parse(line) as unknown);
  return shapes.some((each) => checkValue(each, said, 1).length === 0) ? said : undefined;
}
