import type { ToolOutcome } from "@haft/core";
import { realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createHost } from "../../src/host/host.ts";

/** For each test a folder with files of an operator, and `w` in it, where sessions work. */
export function operatorsFolder() {
  let folder = "";
  let workspaceDir = "";

  beforeEach(async () => {
    folder = realpathSync(await temporaryFolder());
    workspaceDir = join(folder, "w");
    await mkdir(join(workspaceDir, ".git"), { recursive: true });
    vi.stubEnv("XDG_CONFIG_HOME", join(folder, "xdg"));
    for (const name of ["HAFT_CONFIG", "HAFT_POLICY", "HAFT_ADMIN_POLICY"]) vi.stubEnv(name, "");
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  return {
    get workspaceDir() {
      return workspaceDir;
    },
    async file(name: string, content: string): Promise<string> {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    /** A host with a main session, and what both say. */
    async start(options: HostOptions) {
      const told: string[] = [];
      const log = (line: string) => void told.push(line);
      const logger = { debug() {}, info() {}, warn: log, error: log };
      const host = await createHost({ workspaceDir, stateDir: false, logger, ...options });
      onTestFinished(() => host.close());
      const session = await host.openSession();
      const effectOf = async (name: string) => (await session.explain(name)).call?.effect ?? "deny";
      const call = (name: string, args: unknown): Promise<ToolOutcome> =>
        session.call({ name, arguments: args });
      return { host, session, told, effectOf, call };
    },
  };
}
