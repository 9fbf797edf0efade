import type { CommandSubject } from "@haft/core";
import { createHost } from "@haft/host";
import {
  type CommandSample,
  type PolicyConfig,
  type PolicyProblem,
  type SourceMap,
  commandSamples,
  formatPath,
} from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { basename } from "node:path";
import { setImmediate as turn } from "node:timers/promises";

/** A problem of a rule about programs: its message and the nearest name. */
export type ProgramWarning = Pick<PolicyProblem, "message" | "nearest">;

/** One entry per sample; `undefined` without a problem. */
export type InspectPrograms = (
  samples: readonly CommandSample[],
) => Promise<readonly (ProgramWarning | undefined)[]>;

/**
 * Warns about the first 1,000 entries of command lists: the program is missing, the path is a link, or the
 * entry allows no command, or any command.
 *
 * @param inspect Default {@link inspectPrograms}.
 *
 * @example
 * ```ts
 * import { readPolicyFile } from "@haft/config";
 * import { programWarnings } from "@haft/history/replay";
 * const { config, positions } = await readPolicyFile("policy.yaml");
 * for (const { path, message } of await programWarnings(config, positions)) console.warn(path, message);
 * ```
 */
export async function programWarnings(
  config: PolicyConfig,
  positions: SourceMap,
  inspect: InspectPrograms = inspectPrograms,
): Promise<PolicyProblem[]> {
  const samples = commandSamples(config);
  const found = await inspect(samples.slice(0, MAX_LOOKED_AT));
  const warnings = samples.flatMap(({ path }, index) => {
    const warning = found[index];
    if (warning === undefined) return [];
    const location = { path: formatPath(path), line: positions(path), file: positions.fileOf?.(path) };
    return [withoutUndefined<PolicyProblem>({ severity: "warning", ...location, ...warning })];
  });
  const left = samples.length - MAX_LOOKED_AT;
  // Long lists of warnings are cut.
  return left > 0 ? [{ severity: "warning", path: "", message: notCompared(left) }, ...warnings] : warnings;
}

const MAX_LOOKED_AT = 1_000;

function notCompared(count: number): string {
  const were = count === 1 ? "pattern was" : "patterns were";
  return `Only the first ${MAX_LOOKED_AT} patterns of the file were compared with the programs of this machine; ${count} ${were} not.`;
}

/**
 * Inspects sample commands with this machine's programs, in a temporary host. It runs nothing.
 *
 * @returns one entry for each sample; `undefined` without a problem
 *
 * @example
 * ```ts
 * import { inspectPrograms } from "@haft/history/replay";
 * import { commandSamples } from "@haft/policy";
 * const warnings = await inspectPrograms(commandSamples({ exec: { allow: ["npm test"] } }));
 * ```
 */
export async function inspectPrograms(
  samples: readonly CommandSample[],
): Promise<(ProgramWarning | undefined)[]> {
  if (samples.length === 0) return [];
  const host = await createHost({
    stateDir: false,
    administratorPolicy: false,
    policy: { exec: { preset: "careful" } },
  });
  try {
    const preview = await host.preview({ kind: "main" });
    const found: (ProgramWarning | undefined)[] = [];
    for (const sample of samples) {
      await turn();
      const all: (ProgramWarning | undefined)[] = [];
      for (const command of sample.lines) {
        const { plan } = await preview.explain("exec", { command });
        all.push(warningOf(sample, plan?.subjects?.command));
      }
      // A pattern's warning must apply to all its samples.
      const isOfAll = !all.includes(undefined);
      found.push(
        isOfAll ? (all.find((one) => one?.message.startsWith(NEVER) === false) ?? all[0]) : undefined,
      );
    }
    return found;
  } finally {
    await host.close();
  }
}

const NEVER = "A list never allows this";

function warningOf(
  { pattern, program, opens }: CommandSample,
  command: CommandSubject | undefined,
): ProgramWarning | undefined {
  const first = command?.commands[0];
  if (command === undefined || first === undefined) return undefined;
  if ((first.argv[0] ?? first.name) !== program) {
    const through = first.through.at(-1);
    if (!opens || through === undefined) return undefined;
    return {
      message: `${program} starts other programs: list the program that it starts instead of ${program}.`,
    };
  }
  if (program.startsWith("/") && first.path !== undefined && first.path !== program) {
    const message = `${program} is a link to ${first.path}, and rules are compared with the real path.`;
    return { message, nearest: [pattern.replace(program, () => first.path ?? program)] };
  }
  if (opens && command.unclear !== undefined) {
    const never = basename(program) === "git" ? "A list does not allow this in the current folder" : NEVER;
    return {
      message: `${never}, because the programs that it runs are unclear: ${command.unclear}.`,
    };
  }
  if (opens && first.nested === true)
    return { message: `${NEVER}: each command of the text needs an entry of its own.` };
  if (opens && first.carrier !== undefined && /^\S+(?: \*)?$/.test(pattern)) {
    return { message: `${first.carrier}, so this entry allows any program; name the allowed arguments.` };
  }
  if (first.path === undefined && first.builtin !== true) {
    return { message: `This machine has no program ${JSON.stringify(program)}.` };
  }
  return undefined;
}
