import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import type { Socket } from "node:net";
import { messageOf } from "@haft/core";
import { unavailable } from "./failures.ts";

/** An answer of the Engine that is no success. */
export class EngineError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface EngineRequest {
  method?: "GET" | "POST" | "DELETE";
  /** After the version: `/containers/json?all=1`. */
  path: string;
  /** Sent as JSON; bytes as they are, as a tar archive. */
  body?: object | Buffer;
  /** Milliseconds without an answer; 0 waits for as long as it takes. */
  limitMs?: number;
  signal?: AbortSignal | undefined;
}

const LIMIT_MS = 20_000;
const VERSION = "/v1.41";

/** The Docker Engine behind its socket: requests and answers, and nothing of what they mean. */
export class Engine {
  readonly socketPath: string;

  constructor(socketPath = defaultSocket()) {
    this.socketPath = socketPath;
  }

  /** @throws EngineError for an answer that is no success; HaftError `SANDBOX_UNAVAILABLE` when there is none. */
  async json<T>(options: EngineRequest): Promise<T> {
    const bytes = await this.#bytes(options);
    const answer = bytes.toString("utf8");
    return (answer === "" ? undefined : JSON.parse(answer)) as T;
  }

  /** The standard streams of a container, before it is started. */
  attach(id: string, signal?: AbortSignal): Promise<Socket> {
    const path = `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
    const headers = { connection: "Upgrade", upgrade: "tcp" };
    return new Promise((resolve, reject) => {
      const sent = this.#send({ method: "POST", path, signal }, headers, reject);
      sent.on("upgrade", (_response: IncomingMessage, socket: Socket, head: Buffer) => {
        socket.setTimeout(0);
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      sent.on("response", (response) => {
        void read(response).then((bytes) => reject(refusal(response, bytes)), reject);
      });
      sent.end();
    });
  }

  #bytes(options: EngineRequest): Promise<Buffer> {
    const { body } = options;
    return new Promise((resolve, reject) => {
      const payload = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const type = Buffer.isBuffer(body) ? "application/x-tar" : "application/json";
      const headers = payload === undefined ? {} : { "content-type": type, "content-length": payload.length };
      const sent = this.#send(options, headers, reject);
      sent.on("response", (response) => {
        read(response).then((bytes) => {
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) resolve(bytes);
          else reject(refusal(response, bytes));
        }, reject);
      });
      sent.end(payload);
    });
  }

  #send(
    { method = "GET", path, limitMs = LIMIT_MS, signal }: EngineRequest,
    headers: Record<string, string | number>,
    reject: (error: Error) => void,
  ) {
    const { socketPath } = this;
    const sent = request({
      socketPath,
      method,
      path: VERSION + path,
      headers,
      agent: false,
      timeout: limitMs,
    });
    // A daemon that hangs must not hang the host.
    sent.on("timeout", () => sent.destroy(new Error(`it did not answer within ${limitMs / 1000} seconds`)));
    sent.on("error", (error) => reject(signal?.aborted === true ? error : unreachable(socketPath, error)));
    const stop = (): void => void sent.destroy(new Error("aborted"));
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
    sent.on("close", () => signal?.removeEventListener("abort", stop));
    return sent;
  }
}

/** `DOCKER_HOST` where it names a socket, else the usual place. */
function defaultSocket(): string {
  const named = process.env["DOCKER_HOST"];
  return named?.startsWith("unix://") === true ? named.slice("unix://".length) : "/var/run/docker.sock";
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function refusal({ statusCode = 0 }: IncomingMessage, bytes: Buffer): EngineError {
  const said = bytes.toString("utf8");
  try {
    return new EngineError(statusCode, String((JSON.parse(said) as { message: string }).message));
  } catch {
    return new EngineError(statusCode, said.slice(0, 500) || `status ${statusCode}`);
  }
}

function unreachable(socketPath: string, error: NodeJS.ErrnoException): Error {
  const start = "Start the Docker daemon (systemctl start docker), or set DOCKER_HOST to its socket.";
  switch (error.code) {
    case "ENOENT":
      return unavailable(`there is no socket ${socketPath}`, start, error);
    case "ECONNREFUSED":
      return unavailable(`nobody listens on ${socketPath}`, start, error);
    case "EACCES":
      return unavailable(
        `this user may not use ${socketPath}`,
        "Add the user to the group docker (which makes it as powerful as root), or run a rootless daemon.",
        error,
      );
    default:
      return unavailable(`the daemon at ${socketPath} failed: ${messageOf(error)}`, start, error);
  }
}
