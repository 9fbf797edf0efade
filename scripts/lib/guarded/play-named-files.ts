import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { haftCommand } from "../../../test/support/build-under-test.ts";
import type { Client } from "../clients/client.ts";
import { scriptTurns } from "../scripted-model/script.ts";
import { startScriptedModel } from "../scripted-model/scripted-model.ts";
import { run } from "../workspace.ts";

const LIMIT_MS = 180_000;
const CLOSED = "what stands in a file that is denied";
const OPEN = "what stands in a file that is not";

/**
 * Names an allowed and a denied file in a prompt with `@`, which reaches no hook, and checks the model's
 * input.
 *
 * @param native whether the guard was installed with `--native`
 * @returns problems; without it the model sees both files
 */
export async function playNamedFiles(client: Client, native: boolean, installed: string): Promise<string[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `haft-named-${client.name}-`)));
  const [home, project] = [join(folder, "home"), join(folder, "project")];
  mkdirSync(home);
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "closed"));
  writeFileSync(join(project, "closed/a.txt"), `${CLOSED}\n`);
  writeFileSync(join(project, "b.txt"), `${OPEN}\n`);
  const policy = join(folder, "policy.yaml");
  writeFileSync(policy, 'deny: ["read(path:closed/**)"]\n');
  const path = [join(installed, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  const env = {
    HOME: home,
    LANG: "C.UTF-8",
    PATH: path.join(":"),
    TERM: "xterm",
    TMPDIR: tmpdir(),
    IS_SANDBOX: "1",
  };
  const [node = "", ...command] = haftCommand;
  try {
    await using model = await startScriptedModel(scriptTurns([{ calls: [] }]));
    const words = ["guard", "install", client.name, "--policy", policy, ...(native ? ["--native"] : [])];
    await run(node, [...command, ...words], { cwd: folder, env, limitMs: LIMIT_MS });
    const prompt = client.headless("Look at @closed/a.txt and @b.txt");
    await run(client.bin, [...prompt, "--permission-mode", "bypassPermissions"], {
      cwd: project,
      env: { ...env, ...client.env(model.url, { config: "", state: "" }) },
      limitMs: LIMIT_MS,
    });
    const sent = JSON.stringify(model.requests.map(({ body }) => body));
    return [
      ...(sent.includes(OPEN) ? [] : ["the model did not see the file that is not denied"]),
      ...(sent.includes(CLOSED) === native
        ? [`the model ${native ? "saw" : "did not see"} the file that is denied`]
        : []),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
