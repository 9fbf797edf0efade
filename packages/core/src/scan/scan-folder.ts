import type { ScanOptions, ScanPage, Workspace } from "../contract/ports.ts";
import { requireKnownOptions } from "../parameters/check-options.ts";
import { answerStep, type ScanFiles, workspaceFiles } from "./scan-files.ts";
import { walkSteps } from "./walk-steps.ts";

const PAGE_ENTRIES = 1024;
const PAGE_MS = 4;

/**
 * Lists entries below a folder, in a fixed order and without ignored entries. Links are listed, never followed. A scan on the host runs in
 * threads; elsewhere it lists folder by folder.
 *
 * @param path The folder.
 * @param options Selects entries. See {@link ScanOptions}.
 * @throws HaftError of the file system, if the folder is missing or outside the workspace
 * @throws HaftError `INVALID_OPTIONS` for an unknown option
 * @throws TypeError for an invalid glob
 * @throws the reason of the signal
 * @example
 * ```ts run
 * import { scanFolder } from "@haft/core";
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 * const workspace = createMemoryWorkspace({ files: { ".gitignore": "*.log", "src/a.ts": "", "b.log": "" } });
 * const paths: string[] = [];
 * for await (const { entries } of scanFolder(workspace, ".")) paths.push(...entries.map(({ path }) => path));
 * paths; // => [".gitignore", "src", "src/a.ts"]
 * ```
 */
export function scanFolder(
  workspace: Workspace,
  path: string,
  options: ScanOptions = {},
): AsyncGenerator<ScanPage, void> {
  requireKnownOptions<ScanOptions>("scanFolder", options, {
    includeIgnored: true,
    after: true,
    inclusive: true,
    glob: true,
    text: true,
    signal: true,
  });
  return scanPages(workspace, path, options);
}

async function* scanPages(
  workspace: Workspace,
  path: string,
  options: ScanOptions,
): AsyncGenerator<ScanPage, void> {
  options.signal?.throwIfAborted();
  const pages = await workspace.fs.scan?.(path, options);
  yield* pages ?? scanByFolder(workspaceFiles(workspace), path, options);
}

async function* scanByFolder(
  files: ScanFiles,
  path: string,
  options: ScanOptions,
): AsyncGenerator<ScanPage, void> {
  let end = performance.now() + PAGE_MS;
  const isLate = (): boolean => performance.now() > end;
  // A folder may take long, and the entries before it must not wait.
  const steps = walkSteps(
    files,
    path,
    options,
    ({ entries }, beforeFolder) => entries.length >= PAGE_ENTRIES || beforeFolder || isLate(),
  );
  let step = steps.next();
  while (step.done !== true) {
    options.signal?.throwIfAborted();
    const { value } = step;
    if (isPage(value)) {
      yield value;
      if (isLate()) await new Promise((resolve) => setImmediate(resolve));
      end = performance.now() + PAGE_MS;
      step = steps.next();
    } else step = await answerStep(steps, value);
  }
}

function isPage(value: unknown): value is ScanPage {
  return typeof value === "object" && value !== null && "entries" in value;
}
