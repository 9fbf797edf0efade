import type { ProcessSpec } from "@haft/core";
import { RunnerError } from "@haft/workspace/internal/wire";
import { missing } from "./shell-answers.ts";
import { word } from "./shell-channel.ts";

/** Of Linux. */
const LONGEST_ARGUMENT = 128 * 1024 - 1;

/** @throws HaftError or RunnerError for what a shell cannot be asked to start */
export function checkRequest(spec: ProcessSpec): void {
  const { argv, script, shell = "sh", cwd = "", env = {} } = spec;
  if (spec.pty !== undefined) throw missing("give a command a terminal", "pty");
  if (spec.expect !== undefined && spec.expect.length > 0)
    throw missing("hold on to programs that were looked at", "identify");
  if ((argv === undefined) === (script === undefined) || argv?.length === 0)
    throw new RunnerError("INVALID_PROCESS", "it takes either `argv` or `script`");
  const texts = [...(argv ?? []), script ?? "", shell, cwd, ...Object.values(env)];
  if (texts.some((text) => text.includes("\0")))
    throw new RunnerError("INVALID_PROCESS", "there is a NUL in it");
  if ([...(argv ?? []), ...Object.values(env)].some((text) => Buffer.byteLength(text) >= LONGEST_ARGUMENT))
    throw new RunnerError(
      "COMMAND_TOO_LONG",
      `an argument or variable is longer than ${LONGEST_ARGUMENT} bytes`,
    );
}

/** Variables and words of a command, one a line, as the shell program reads them. */
export function describeRequest({ argv = [], env = {} }: ProcessSpec, mark: string): Buffer {
  const variables = { ...env, HAFT_PROCESS: mark };
  const lines = [
    ...Object.entries(variables).map(([name, value]) => `e${word(`${name}=${value}`)}`),
    "-",
    ...argv.map((one) => `a${word(one)}`),
  ];
  return Buffer.from(`${lines.join("\n")}\n`);
}
