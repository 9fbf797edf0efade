import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { haftCommand } from "../../../test/support/build-under-test.ts";
import type { Script } from "../scripted-model/script.ts";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { run } from "../workspace.ts";
import { checkPlayed } from "./check-played.ts";
import type { Client, ClientRun, Played } from "./client.ts";
import { findLeftoverProcesses } from "./find-leftover-processes.ts";
import { addFiles, readPrinted } from "./printed-config.ts";
import { retryScript, POLICY, taskScript } from "./task.ts";

/** Sufficient for all clients on a busy machine. */
const LIMIT_MS = 180_000;
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/**
 * Mounts Haft as `haft serve --print-config` describes, and runs the task with the client's scripted model.
 * Checks model requests, files, ledger, and leftover processes.
 *
 * @param installed the client's folder
 */
export async function playClient(client: Client, installed: string): Promise<Played> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-client-${client.name}-`)));
  const played: Played = { problems: [], facts: {} };
  try {
    await playIn(folder, client, installed, played);
  } catch (thrown) {
    played.problems.push(thrown instanceof Error ? thrown.message : String(thrown));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return played;
}

async function playIn(folder: string, client: Client, installed: string, played: Played): Promise<void> {
  const home = join(folder, "home");
  const project = join(folder, "project");
  mkdirSync(home);
  mkdirSync(join(project, "secret"), { recursive: true });
  writeFileSync(join(folder, "policy.json"), JSON.stringify(POLICY));
  const config = join(folder, "config/haft.config.yaml");
  mkdirSync(dirname(config));
  writeFileSync(config, "policy: ../policy.json\n");
  writeFileSync(join(project, "secret/key.txt"), "nobody's business\n");
  writeFileSync(join(project, "dot.png"), Buffer.from(PNG, "base64"));
  const path = [join(installed, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  const base = {
    HOME: home,
    LANG: "C.UTF-8",
    PATH: path.join(":"),
    TERM: "xterm-256color",
    TMPDIR: tmpdir(),
  };
  const [node = "", ...command] = haftCommand;
  const haft = (...args: string[]) =>
    run(node, [...command, ...args], { cwd: folder, env: base, limitMs: LIMIT_MS });

  // The printing folder differs from the working folder.
  const options = ["--policy", "policy.json", "--state", "state"];
  const printed =
    client.mount?.() ?? readPrinted(await haft("serve", "--print-config", client.name, ...options));

  let script: Script = taskScript(client, project);
  await using model = await startScriptedModel((request) => script(request));
  const env = { ...base, ...client.env(model.url, { config, state: join(folder, "state") }) };
  const typed = (line: string) => run("sh", ["-ec", line], { cwd: project, env, limitMs: LIMIT_MS });
  const play = async (): Promise<ClientRun> => {
    const before = model.requests.length;
    const args = [...printed.start, ...client.headless("Do the task.")];
    const bin = join(installed, "node_modules/.bin", client.bin);
    const output = await run(bin, args, { cwd: project, env, limitMs: LIMIT_MS });
    return { output, requests: model.requests.slice(before) };
  };

  addFiles(Object.entries(client.files?.(model.url) ?? {}), home);
  addFiles(
    printed.files.map(({ path: each, text }) => [each, text]),
    home,
  );
  await typed(printed.add);
  const isMounted = () =>
    typed(`${printed.check} 2>&1`).then(
      (said) => /\bhaft\b/.test(said),
      () => false,
    );
  if (!(await isMounted())) played.problems.push("it is not there after it was added as printed");
  const began = performance.now();
  const task = await play();
  played.facts["seconds"] = ((performance.now() - began) / 1000).toFixed(1);
  const answer = async (): Promise<ClientRun> => {
    const { requests } = JSON.parse(await haft("approvals", "--json", "--state", "state")) as {
      requests: { approvalId: string }[];
    };
    if (requests.length !== 1) played.problems.push(`${requests.length} calls wait for approval, not 1`);
    for (const { approvalId } of requests)
      await haft("approvals", "answer", approvalId, "allow-once", "--state", "state");
    script = retryScript(client);
    return play();
  };
  await checkPlayed({ client, project, task, answer, haft }, played);

  if (printed.remove !== "") {
    await typed(printed.remove);
    if (await isMounted()) played.problems.push("it is still there after it was removed as printed");
  }
  for (const each of await findLeftoverProcesses(folder)) played.problems.push(`still running: ${each}`);
}
