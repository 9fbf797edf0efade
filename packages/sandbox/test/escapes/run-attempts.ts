import type { Workspace } from "@haft/core";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { SandboxLimits } from "../../src/backend.ts";
import { createBubblewrapBackend } from "../../src/bubblewrap/bubblewrap-backend.ts";
import type { EscapeAttempt } from "./attempts.ts";
import { deviceTimes, MOUNTED_TEXT, type EscapeFixture } from "./fixture.ts";

export interface EscapeResult {
  name: string;
  title: string;
  verdict: "blocked" | "escaped" | "not tested";
  /** What the script said, or what was found on the host. */
  output: string;
}

/** Runs a script inside, in the workspace folder, with these variables besides those commands have. */
export type RunInSandbox = (script: string, env: Record<string, string>) => Promise<{ output: string }>;

export function runInWorkspace({ processes }: Pick<Workspace, "processes">): RunInSandbox {
  return async (script, env) => {
    try {
      const { id } = await processes!.start(`attempt ${crypto.randomUUID()}`, {
        script,
        env,
        timeoutMs: 60_000,
      });
      await processes!.wait(id);
      const { chunks } = await processes!.read(id, 0, { max: 1024 * 1024 });
      return { output: Buffer.concat(chunks.map(({ bytes }) => bytes)).toString() };
    } catch (thrown) {
      return { output: String(thrown) };
    }
  };
}

/** One attempt, judged by what it said and by what the host finds afterwards. */
export async function runAttempt(
  attempt: EscapeAttempt,
  run: RunInSandbox,
  fixture: EscapeFixture,
  limits: SandboxLimits,
): Promise<EscapeResult> {
  const { name, title } = attempt;
  const before = fixture.connections();
  const { output } = await run(attempt.script, fixture.variables(limits));
  const result = judge(attempt, output);
  if (result.verdict !== "blocked" || attempt.check === undefined) return { name, title, ...result };
  const found =
    attempt.check === "nobody-connected"
      ? fixture.connections() > before && "somebody connected to the host's service"
      : await checks[attempt.check](fixture);
  return found === false ? { name, title, ...result } : { name, title, verdict: "escaped", output: found };
}

function judge({ mayDie = false }: EscapeAttempt, output: string): Pick<EscapeResult, "verdict" | "output"> {
  const last = output.match(/^(KEPT|ESCAPED|SKIPPED)\b.*$/gm)?.at(-1);
  if (last === undefined) {
    return mayDie
      ? { verdict: "blocked", output: "it was ended for it" }
      : { verdict: "escaped", output: `it did not finish: ${output.slice(-300)}` };
  }
  const [word = "", ...rest] = last.split(" ");
  const verdict = { KEPT: "blocked", ESCAPED: "escaped", SKIPPED: "not tested" }[
    word
  ] as EscapeResult["verdict"];
  return { verdict, output: rest.join(" ") };
}

type Check = (fixture: EscapeFixture) => Promise<string | false>;

const checks: Record<Exclude<NonNullable<EscapeAttempt["check"]>, "nobody-connected">, Check> = {
  /** The file layer of the host on the same folder: what a session beside the sandbox would use. */
  "links-not-followed": async ({ workspace, secretPath, mark }) => {
    const host = createHostWorkspace({ root: workspace });
    for (const path of ["planted/file", "planted/folder/secret", "planted/environ"]) {
      const read = await host.fs.read(path).catch(() => undefined);
      if (read !== undefined) return `the host followed ${path}`;
    }
    for (const path of ["planted/file", "planted/folder/new", "planted/dangling"])
      await host.fs.write(path, Buffer.from("overwritten")).catch(() => {});
    if (!readFileSync(secretPath, "utf8").includes(mark)) return "the host wrote through a link";
    const made = [`${secretPath}.new`, join(workspace, "../new")].find((path) => existsSync(path));
    return made === undefined ? false : `the host made ${made} through a link`;
  },
  /** As under `npx`: the folder of the workspace comes first. The next sandbox, and a command beside the host. */
  "planted-not-started": async ({ workspace }) => {
    const folder = join(workspace, "node_modules/.bin");
    const before = process.env["PATH"];
    const stateFolder = mkdtempSync(join(tmpdir(), "haft-escape-state-"));
    process.env["PATH"] = [folder, before].join(delimiter);
    try {
      const processes = createHostProcesses({
        workspace: createHostWorkspace({ root: workspace }),
        stateFolder,
      });
      await processes.start("planted", { script: "echo; sleep 0", pty: { cols: 80, rows: 24 } });
      await processes.start("again", { script: "echo; echo", stdin: "open" }, { waitMs: 100 });
      await processes.close({ graceMs: 0 });
      await createBubblewrapBackend().probe();
    } finally {
      process.env["PATH"] = before;
      rmSync(stateFolder, { recursive: true, force: true });
    }
    const ran = join(folder, "ran");
    return existsSync(ran) && `the host started ${readFileSync(ran, "utf8").trim()}`;
  },
  "no-setuid-root": async ({ workspace }) => {
    for (const name of ["suid", "suid2"]) {
      const found = lstatSync(join(workspace, name), { throwIfNoEntry: false });
      if (found !== undefined && found.uid === 0 && (found.mode & 0o6000) !== 0)
        return `${name} is a setuid program of root on the host`;
    }
    return false;
  },
  "devices-untouched": async ({ devices }) => {
    const found = deviceTimes();
    const changed = Object.keys(devices).find((path) => found[path] !== devices[path]);
    return changed === undefined ? false : `the mode of the host's ${changed} was set`;
  },
  "mounted-untouched": async ({ readOnly }) => {
    const files = ["mounted/file", "mounted/deeper/file"].map((name) => join(readOnly, name));
    const changed = files.find((path) => existsSync(path) && readFileSync(path, "utf8") !== MOUNTED_TEXT);
    return changed === undefined ? false : `the host's ${changed} was changed`;
  },
  "host-files-untouched": async ({ mark }) => {
    const found = ["/tmp", "/var/tmp", "/dev/shm"].find((folder) => existsSync(join(folder, mark)));
    return found === undefined ? false : `the file is in ${found} of the host`;
  },
};
