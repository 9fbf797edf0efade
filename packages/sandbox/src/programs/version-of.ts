import { messageOf } from "@haft/core";
import { type HostProgram, runProgram } from "@haft/workspace/internal/system";

const ANSWER_MS = 5000;
const asked = new Map<string, Promise<string>>();

/** What a program says to `--version`, or why that is not known: asked once for each file. Never throws. */
export function versionOf(program: HostProgram): Promise<string> {
  const { path, version } = program;
  const key = `${version} ${path}`;
  const answer = asked.get(key) ?? ask(program);
  asked.set(key, answer);
  return answer;
}

async function ask(program: HostProgram): Promise<string> {
  try {
    const { output, failure } = await runProgram(program, ["--version"], { timeout: ANSWER_MS, env: {} });
    return failure === undefined ? output.trim() : `not known: ${failure.message}`;
  } catch (thrown) {
    return `not known: ${messageOf(thrown)}`;
  }
}
