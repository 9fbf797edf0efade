import { type CommandSubject, withoutUndefined } from "@haft/core";
import {
  commandSamples,
  formatPath,
  type CommandSample,
  type PolicyConfig,
  type PolicyProblem,
  type Positions,
} from "@haft/policy";
import { createHost } from "../../host/host.ts";

/** Patterns that speak of programs as they are not here: a warning each, since another machine may have them. */
export async function programWarnings(config: PolicyConfig, positions: Positions): Promise<PolicyProblem[]> {
  const samples = commandSamples(config);
  if (samples.length === 0) return [];
  // A policy of its own, under which every command is looked at.
  const host = await createHost({
    stateDir: false,
    administratorPolicy: false,
    policy: { exec: { preset: "careful" } },
  });
  try {
    const preview = await host.preview({ kind: "main" });
    const warnings: PolicyProblem[] = [];
    for (const sample of samples) {
      const all: (Warning | undefined)[] = [];
      for (const command of sample.lines) {
        const { plan } = await preview.explain("exec", { command });
        all.push(warningOf(sample, plan?.subjects?.command));
      }
      const [warning] = all;
      if (warning === undefined || all.includes(undefined)) continue;
      const line = positions(sample.path);
      const path = formatPath(sample.path);
      warnings.push(withoutUndefined({ severity: "warning", path, line, ...warning }));
    }
    return warnings;
  } finally {
    await host.close();
  }
}

type Warning = Pick<PolicyProblem, "message" | "nearest">;

function warningOf(
  { pattern, program, opens }: CommandSample,
  command: CommandSubject | undefined,
): Warning | undefined {
  const first = command?.commands[0];
  if (command === undefined || first === undefined) return undefined;
  if (first.name !== program) {
    const through = first.through.at(-1);
    if (!opens || through === undefined) return undefined;
    return {
      message: `${program} is looked through: what it starts has to be listed, not ${program} itself.`,
    };
  }
  if (first.path === undefined && first.builtin !== true) {
    return { message: `There is no program ${JSON.stringify(program)} here.` };
  }
  if (program.startsWith("/") && first.path !== program) {
    const message = `${program} leads to ${first.path}, and the real path is what is compared.`;
    return { message, nearest: [pattern.replace(program, () => first.path!)] };
  }
  if (opens && command.unclear !== undefined) {
    return {
      message: `A list never lets this through, since it is not certain what it would run: ${command.unclear}.`,
    };
  }
  if (opens && first.carrier !== undefined && /^\S+(?: \*)?$/.test(pattern)) {
    return { message: `${first.carrier}, so with this on a list anything runs; name what it may run.` };
  }
  return undefined;
}
