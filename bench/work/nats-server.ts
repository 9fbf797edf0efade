import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private NATS server with a temporary folder. */
export async function startNatsServer(): Promise<{ url: string; stop: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-nats-"));
  const file = join(folder, "server.conf");
  const kept = `jetstream { store_dir: ${JSON.stringify(folder)}, max_file_store: 10GB }`;
  writeFileSync(file, `host: 127.0.0.1\nport: -1\n${kept}\n`);
  const child = spawn("nats-server", ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
  child.on("error", (error) => {
    throw new Error("The suite needs nats-server (Debian: apt-get install nats-server).", { cause: error });
  });
  let log = "";
  let port: string | undefined;
  for await (const text of child.stderr.setEncoding("utf8") as AsyncIterable<string>) {
    log += text;
    port ??= /client connections on 127\.0\.0\.1:(\d+)/.exec(log)?.[1];
    if (port !== undefined && log.includes("Server is ready")) break;
  }
  const stop = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  };
  return { url: `nats://127.0.0.1:${port}`, stop };
}
