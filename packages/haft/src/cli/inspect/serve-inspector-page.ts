import { defaultStateFolder } from "@haft/config/internal/boundary";
import type { Host } from "@haft/host";
import type * as Inspector from "@haft/inspector";
import { loadOptionalPackage } from "@haft/plugin-loader";
import { PrivateFolder } from "@haft/system";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { resumeCommand } from "../run/resume-command.ts";
import { getAddressFile, removeStaleFiles } from "../serve/remove-stale-files.ts";

export interface InspectorPage {
  close(): Promise<void>;
}

export interface InspectorPageOptions {
  act: boolean;
  stateDir: string | false | undefined;
  isRead: boolean;
  notify: (message: string) => void;
}

/** Reports the address on a terminal, else in a state file: commands may read programs' logs. */
export async function serveInspectorPage(
  host: Host,
  { act, stateDir, isRead, notify }: InspectorPageOptions,
): Promise<InspectorPage> {
  removeStaleFiles(stateDir);
  const { inspect } = await loadInspector();
  const page = await inspect(host, { act, resume: resumeCommand });
  const file = isRead || stateDir === false ? undefined : keepAddress(page, stateDir ?? defaultStateFolder());
  const what = act ? "can decide" : "is read-only";
  if (isRead) notify(`The page of this session, which ${what}: ${page.url}`);
  else if (file === undefined) notify("The address of the page cannot be stored: name a state folder.");
  else notify(`The address of the page, which ${what}, is in ${file}`);
  return {
    async close() {
      await page.close();
      if (file !== undefined) rmSync(file, { force: true });
    },
  };
}

function keepAddress({ url, port }: Inspector.ServedInspector, stateDir: string): string {
  const folder = new PrivateFolder(join(stateDir, "inspect"));
  const name = getAddressFile(port);
  folder.replace(name, `${url}\n`);
  return join(folder.path, name);
}

/**
 * @param what the feature as a sentence's beginning
 * @throws HaftError `PACKAGE_MISSING`, with the installing command
 */
export function loadInspector(what = "The inspector"): Promise<typeof Inspector> {
  return loadOptionalPackage({ name: "@haft/inspector", what, load: () => import("@haft/inspector") });
}
