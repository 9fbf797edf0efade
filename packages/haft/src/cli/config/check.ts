import type { PluginEntry } from "@haft/config";
import {
  readUserFile,
  configInvalidError,
  formatProblem,
  isCode,
  getPluginReference,
  readConfig,
  readWorkspaceConfig,
  findRuleProblem,
} from "@haft/config/internal/document";
import { HaftError, type Plugin } from "@haft/core";
import { checkConfig } from "@haft/core/internal";
import { createHost } from "@haft/host";
import { readMcpSettings } from "@haft/host/internal/host";
import { resolvePluginConfig } from "@haft/plugin-loader/internal/plugins";
import { formatPath, type PolicyProblem } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { resolve } from "node:path";
import { preloadPlugins } from "../plugin-arguments.ts";
import { SILENT } from "../stderr-logger.ts";

export async function checkConfigurations(
  { project = false, json }: { project?: boolean; json?: boolean },
  files: readonly string[],
): Promise<number> {
  const results: { file: string; problems: readonly PolicyProblem[] }[] = [];
  for (const file of files)
    results.push({ file, problems: await listConfigurationProblems(resolve(file), project) });
  const failed = results.some(({ problems }) => problems.length > 0);
  if (json) console.log(JSON.stringify({ ok: !failed, files: results }));
  else
    for (const { file, problems } of results) {
      for (const problem of problems) console.error(formatProblem(file, problem));
      if (problems.length === 0) console.log(`${file}: no problems.`);
    }
  return failed ? 1 : 0;
}

export async function listConfigurationProblems(
  file: string,
  project: boolean,
): Promise<readonly PolicyProblem[]> {
  try {
    await (project ? checkFound(file) : checkNamed(file));
    return [];
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    const { problems } = (thrown.details ?? {}) as { problems?: readonly PolicyProblem[] };
    return problems ?? [{ path: "", message: thrown.message }];
  }
}

/** Starts a host without storing anything. */
async function checkNamed(file: string): Promise<void> {
  const read = await readConfig(file);
  const { config, policySource, policyPositions } = read;
  const { policy, roots, sandbox, plugins = [] } = config;
  await preloadPlugins(plugins);
  const host = await createHost(
    withoutUndefined({
      plugins,
      mcp: readMcpSettings({ trusted: read }),
      logger: SILENT,
      policy,
      roots,
      sandbox,
      policySource,
      policyPositions,
      stateDir: false as const,
      administratorPolicy: false as const,
    }),
  );
  const reports = host.plugins().filter(({ source }) => source !== "built-in" && source !== "haft mcp");
  await host.close();
  const problems = reports.flatMap(({ source, at = "plugins", problem, configSchema }, index) =>
    problem !== undefined && source === file
      ? [{ path: at, message: `${problem.message} ${problem.fix}` }]
      : misconfigured(plugins[index], at, configSchema),
  );
  if (problems.length > 0) throw configInvalidError(file, problems);
}

function misconfigured(
  entry: Plugin | PluginEntry | undefined,
  at: string,
  configSchema: object | undefined,
): PolicyProblem[] {
  const placed = getPluginReference(entry);
  if (placed === undefined || configSchema === undefined) return [];
  const resolved = resolvePluginConfig(placed, configSchema);
  if ("problem" in resolved) return [{ path: `${at}.config`, message: resolved.problem.message }];
  const { problems } = checkConfig({ id: placed.use, tools: [], config: resolved.config, configSchema });
  return problems.map(({ path, message }) =>
    withoutUndefined<PolicyProblem>({
      path: `${at}.${formatPath(["config", ...path])}`,
      line: placed.getLine?.(path),
      message,
    }),
  );
}

async function checkFound(file: string): Promise<void> {
  const read = readUserFile(file);
  if (read === undefined) throw configInvalidError(file, [{ path: "", message: "The file does not exist." }]);
  if ("why" in read)
    throw configInvalidError(file, [{ path: "", message: `It is ignored, because it ${read.why}.` }]);
  if (isCode(file))
    throw configInvalidError(file, [
      { path: "", message: `It is code, which loads only after you trust it: haft config trust ${file}.` },
    ]);
  const { rules, loosening } = await readWorkspaceConfig(file, read.text);
  if (loosening.length > 0) throw configInvalidError(file, loosening);
  const host = await createHost({ stateDir: false, administratorPolicy: false });
  const problem = findRuleProblem(rules, host.catalogue);
  await host.close();
  if (problem !== undefined) throw problem;
}
