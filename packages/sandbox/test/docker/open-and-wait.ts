// Opens a sandbox, says its id or why not, and waits to be killed. Arguments: the socket of the Engine, the
// specification as JSON, and a script to start in it.
import { createDockerBackend, openSandbox, type SandboxSpec } from "@haft/sandbox";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";

keepCompiled();
const [socketPath = "", spec = "", script = "true"] = process.argv.slice(2);
try {
  const workspace = await openSandbox(createDockerBackend({ socketPath }), JSON.parse(spec) as SandboxSpec);
  await workspace.processes.start("background", { script: "setsid sleep 300 & sleep 300" });
  await workspace.processes.start("script", { script });
  process.stdout.write(workspace.ref.id);
} catch (thrown) {
  process.stdout.write((thrown as { code: string }).code);
}
setInterval(() => {}, 1_000);
