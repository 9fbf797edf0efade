import { spawn } from "node:child_process";
import { request } from "node:http";

/** One `docker exec` per operation, without a program inside. */
export interface DockerExec {
  /** Resolves with its output. */
  run(argv: readonly string[], input?: Buffer): Promise<Buffer>;
}

/** The `docker` client starts for each operation. */
export function createCliExec(container: string): DockerExec {
  return {
    run: (argv, input) =>
      new Promise((resolve, reject) => {
        const child = spawn("docker", ["exec", ...(input ? ["-i"] : []), container, ...argv], {
          stdio: ["pipe", "pipe", "ignore"],
        });
        const parts: Buffer[] = [];
        child.stdout.on("data", (part: Buffer) => parts.push(part));
        child.on("error", reject);
        child.on("close", (code) =>
          code === 0 ? resolve(Buffer.concat(parts)) : reject(new Error(`docker exec: exit code ${code}`)),
        );
        child.stdin.end(input);
      }),
  };
}

/** The Engine's interface without a client: the minimum cost. */
export function createEngineExec(container: string): DockerExec {
  const socketPath = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace(/^unix:\/\//, "");
  const post = (path: string, body: object): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const sent = request({
        socketPath,
        path,
        method: "POST",
        headers: { "content-type": "application/json" },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => resolve(Buffer.concat(parts)));
        response.on("error", reject);
      });
      sent.end(JSON.stringify(body));
    });
  return {
    async run(argv) {
      const made = await post(`/containers/${container}/exec`, {
        AttachStdout: true,
        AttachStderr: true,
        Cmd: argv,
      });
      const { Id } = JSON.parse(made.toString()) as { Id: string };
      // The stream ends with the command.
      return post(`/exec/${Id}/start`, { Detach: false, Tty: false });
    },
  };
}
