import type { Workspace } from "@haft/core";
import { makeFolder } from "@haft/utils";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { sdkError } from "../../errors.ts";
import { memoryFailure } from "../memory/failures.ts";
import { createMemoryWorkspace, type Files } from "../memory/memory-workspace.ts";
import { requirePackage } from "./require-package.ts";
import type { TestSessionOptions } from "./test-options.ts";

export interface TestWorkspace {
  workspace: Workspace;
  facts?: { mount: "none" | "ro" | "rw"; network: "none" | "limited" | "full" };
  close(): Promise<void>;
}

export function openTestWorkspace(options: TestSessionOptions): Promise<TestWorkspace> {
  const {
    kind = "main",
    files = {},
    links = {},
    workspace = kind === "sandboxed" ? "sandbox" : "memory",
  } = options;
  if (workspace === "host") return openHost(files, links);
  if (workspace === "sandbox") return openInSandbox(files, links, options.sandbox);
  const place = kind === "sandboxed" ? "sandbox" : "host";
  const given = workspace === "memory" ? createMemoryWorkspace({ files, links, target: place }) : workspace;
  return Promise.resolve({ workspace: given, close: async () => {} });
}

type Links = Readonly<Record<string, string>>;

/**
 * Creates a temporary folder with these files and links.
 *
 * @returns Its real path, and a function that removes it.
 * @example
 * ```ts run
 * import { readFileSync } from "node:fs";
 * import { join } from "node:path";
 * import { temporaryFolder } from "@haft/plugin-sdk/testing";
 *
 * const folder = temporaryFolder({ "src/a.ts": "export {};" }, { current: "src" });
 * readFileSync(join(folder.path, "current/a.ts"), "utf8"); // => "export {};"
 * folder.remove();
 * ```
 */
export function temporaryFolder(
  files: Files = {},
  links: Readonly<Record<string, string>> = {},
): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "haft-test-")));
  const remove = () => rmSync(path, { recursive: true, force: true });
  try {
    const placeOf = (name: string) => {
      const file = resolve(path, name);
      if (!file.startsWith(path + sep))
        throw memoryFailure("OUTSIDE_WORKSPACE", { verb: "write", path: name });
      makeFolder(name.endsWith("/") ? file : dirname(file));
      return file;
    };
    for (const [name, content] of Object.entries(files)) {
      const file = placeOf(name);
      if (!name.endsWith("/")) writeFileSync(file, content);
    }
    for (const [name, to] of Object.entries(links)) symlinkSync(to, placeOf(name));
  } catch (thrown) {
    remove();
    throw thrown;
  }
  return { path, remove };
}

async function openHost(files: Files, links: Links): Promise<TestWorkspace> {
  const { createHostProcesses, createHostWorkspace } = await requirePackage(
    "@haft/workspace",
    "A test session on the host",
  );
  const [folder, state] = [temporaryFolder(files, links), temporaryFolder()];
  const workspace = createHostWorkspace({ root: folder.path });
  const processes = createHostProcesses({ workspace, stateFolder: join(state.path, "processes") });
  return {
    workspace: { ...workspace, processes },
    close: async () => {
      await processes.close({ graceMs: 0 });
      folder.remove();
      state.remove();
    },
  };
}

async function openInSandbox(
  files: Files,
  links: Links,
  wanted: TestSessionOptions["sandbox"],
): Promise<TestWorkspace> {
  const { openSandbox } = await requirePackage("@haft/sandbox", "A sandboxed test session");
  const backend = await findBackend(wanted);
  const folder = temporaryFolder(files, links);
  try {
    const workspace = await openSandbox(backend, {
      key: folder.path,
      scope: "session",
      workspace: "rw",
      mounts: [{ name: "", hostPath: folder.path, path: "/workspace", access: "rw" }],
      env: {},
      network: "none",
      limits: { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 },
      lifetime: "tethered",
    });
    return {
      workspace,
      facts: workspace.facts,
      close: async () => {
        await workspace.close();
        folder.remove();
      },
    };
  } catch (thrown) {
    folder.remove();
    throw thrown;
  }
}

async function findBackend(wanted: TestSessionOptions["sandbox"]) {
  const { createBubblewrapBackend, createDockerBackend } = await requirePackage(
    "@haft/sandbox",
    "A sandboxed test session",
  );
  const all = { bubblewrap: createBubblewrapBackend, docker: createDockerBackend };
  const reasons: string[] = [];
  for (const [name, create] of Object.entries(all)) {
    if (wanted !== undefined && wanted !== name) continue;
    const backend = create();
    const probe = await backend.probe();
    if (probe.available) return backend;
    reasons.push([`${name}:`, probe.reason, probe.fix].filter(Boolean).join(" "));
  }
  throw sdkError("SANDBOX_UNAVAILABLE", `No sandbox can be opened here. ${reasons.join(" ")}`);
}
