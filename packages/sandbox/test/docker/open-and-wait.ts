// Opens a sandbox, says so, and waits to be killed.
import { createDockerBackend, openSandbox } from "@haft/sandbox";
import { specFor } from "../bubblewrap/spec-for.ts";

const [socketPath = "", folder = ""] = process.argv.slice(2);
const workspace = await openSandbox(createDockerBackend({ socketPath }), {
  ...specFor(folder),
  key: "killed",
});
await workspace.processes.start("background", { script: "setsid sleep 300 & sleep 300" });
process.stdout.write("open\n");
setInterval(() => {}, 1_000);
