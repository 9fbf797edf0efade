import { checkValue } from "@haft/core/internal";
import { attempt, builtFile } from "@haft/system";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The program is killed after this many extended limits, even on a busy machine. */
export const MAX_STARVED_LIMITS = 6;
const MIN_CHECK_MS = 50;

/** Returns arguments that start a program of this package: beside the module at `from` in the sources, else in `dist`. */
export function getProgramArguments(from: string, name: string): string[] {
  const program = from.endsWith(".ts")
    ? new URL(`./${name}.ts`, from)
    : builtFile("@haft/plugin-loader", `${name}.js`, from);
  const conditions = process.execArgv.filter((word) => /^(?:--conditions|-C)=/.test(word));
  return [...conditions, fileURLToPath(program)];
}

/** Excludes time in which the machine did not run the process. */
export function watchSilence(
  pid: number | undefined,
  limitMs: number,
  onLate: () => void,
): { heard(): void; stop(): void } {
  const now = () => ({ at: performance.now(), starved: starvedMs(pid) });
  let last = now();
  const check = () => {
    const { at, starved } = now();
    const silent = at - last.at;
    const left = limitMs - (silent - (starved - last.starved));
    if (left <= 0 || silent >= limitMs * MAX_STARVED_LIMITS) return onLate();
    timer = setTimeout(check, Math.max(left, MIN_CHECK_MS));
  };
  let timer = setTimeout(check, limitMs);
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

/** Members are required by default. */
export function objectShape(
  properties: Readonly<Record<string, object>>,
  required = Object.keys(properties),
) {
  return { type: "object", properties, required };
}

/** `undefined` for another shape: a plugin can write to that descriptor as well. */
export function readChildLine(line: string, shapes: readonly object[]): unknown {
  const value = attempt(() => JSON.parse(line) as unknown);
  return shapes.some((each) => checkValue(each, value, 1).length === 0) ? value : undefined;
}
