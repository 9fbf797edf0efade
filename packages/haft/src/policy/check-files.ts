import { HaftError } from "@haft/core";
import type { PolicyConfig, PolicyProblem } from "@haft/policy";
import { createHost } from "../host.ts";
import { readYamlFile } from "../policy-file.ts";
import { UsageError } from "../usage.ts";

interface Options {
  administrator?: boolean;
  json?: boolean;
}

/** Prints every problem of each file. Resolves to the exit code. */
export async function checkFiles(files: readonly string[], options: Options): Promise<number> {
  if (files.length === 0) throw new UsageError("Which file? haft policy check FILE…");
  const results = [];
  for (const file of files) {
    results.push({ file, problems: await problemsOf(file, options.administrator ?? false) });
  }
  const failed = results.some(({ problems }) => problems.length > 0);
  if (options.json) {
    console.log(JSON.stringify({ ok: !failed, files: results }));
    return failed ? 1 : 0;
  }
  for (const { file, problems } of results) {
    if (problems.length === 0) console.log(`${file}: no problems.`);
    for (const problem of problems) console.error(formatProblem(file, problem));
  }
  return failed ? 1 : 0;
}

/** `policy.yaml:3: deny[0]: …`, as compilers write it, so that editors jump there. */
function formatProblem(file: string, { path, line, message, nearest = [] }: PolicyProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const meant =
    nearest.length > 0 ? ` Did you mean ${nearest.map((text) => JSON.stringify(text)).join(" or ")}?` : "";
  return `${place}: ${path === "" ? "" : `${path}: `}${message}${meant}`;
}

async function problemsOf(file: string, administrator: boolean): Promise<readonly PolicyProblem[]> {
  const read = await readYamlFile(file);
  if ("problems" in read) return read.problems;
  const config = read.value as PolicyConfig;
  const { positions } = read;
  try {
    const host = await createHost({
      stateDir: false,
      ...(administrator
        ? { administratorPolicy: { config, source: file, positions } }
        : { administratorPolicy: false, policy: config, policySource: file, policyPositions: positions }),
    });
    await host.close();
    return [];
  } catch (thrown) {
    if (!HaftError.is(thrown) || thrown.code !== "POLICY_INVALID") throw thrown;
    return (thrown.details as { problems: PolicyProblem[] }).problems;
  }
}
