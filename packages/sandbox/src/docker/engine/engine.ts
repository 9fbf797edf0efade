import { HaftError, getErrorMessage } from "@haft/core";
import { attempt } from "@haft/system";
import { lazy, untilAborted } from "@haft/utils";
import { existsSync } from "node:fs";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { DOCKER_ANSWER_MS } from "../../defaults.ts";
import { abortedError, dockerError } from "../../errors.ts";
import { EngineStream } from "./engine-stream.ts";

/** For an older Engine, its own version is used. */
const NEWEST_API = "1.47";
const OLDEST_API = "1.40";
const MAX_ANSWER = 8 * 1024 * 1024;

export interface CallOptions {
  body?: unknown;
  archive?: Uint8Array;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export class EngineError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "EngineError";
    this.status = status;
  }
}

/** Gives every request a time limit, in case the Engine hangs. */
export class Engine {
  readonly socketPath: string;
  readonly answerMs: number;
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 2, timeout: 10_000 });
  readonly #api = lazy(() => this.#negotiate());

  constructor(socketPath: string, answerMs: number = DOCKER_ANSWER_MS) {
    this.socketPath = socketPath;
    this.answerMs = answerMs;
  }

  async call<T = unknown>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const version = await this.#version(options.signal);
    const text = await this.#text(method, `/v${version}${path}`, options);
    return (text === "" ? undefined : parsed(text)) as T;
  }

  async hijack(path: string, body?: unknown, signal?: AbortSignal): Promise<EngineStream> {
    const url = `/v${await this.#version(signal)}${path}`;
    const { promise, resolve, reject } = Promise.withResolvers<EngineStream>();
    const headers = { Connection: "Upgrade", Upgrade: "tcp" };
    const sent = this.#send("POST", url, { body, signal }, headers, reject);
    sent.once("upgrade", (_answer: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.setTimeout(0);
      resolve(new EngineStream(socket, head));
    });
    sent.once("response", (answer: IncomingMessage) => {
      collect(answer).then((text) => reject(refusal(answer, text)), reject);
    });
    return promise;
  }

  async version(signal?: AbortSignal): Promise<{ version: string; api: string; isPodman: boolean }> {
    type Version = { Version: string; Components?: { Name: string }[] };
    const { Version, Components = [] } = await this.call<Version>("GET", "/version", { signal });
    const isPodman = Components.some(({ Name }) => Name === "Podman Engine");
    return { version: Version, api: await this.#version(signal), isPodman };
  }

  close(): void {
    this.#agent.destroy();
  }

  async #version(signal?: AbortSignal): Promise<string> {
    return untilAborted(this.#api(), signal).catch((thrown: unknown) => {
      throw signal?.aborted === true ? abortedError("docker") : thrown;
    });
  }

  async #negotiate(): Promise<string> {
    const { ApiVersion: newest = OLDEST_API } = parsed(await this.#text("GET", "/version", {})) as {
      ApiVersion?: string;
    };
    if (minor(newest) < minor(OLDEST_API)) {
      const why = `its API has version ${newest}`;
      throw dockerError("SANDBOX_UNAVAILABLE", why, "Install Docker 19.03 or newer.");
    }
    return minor(newest) < minor(NEWEST_API) ? newest : NEWEST_API;
  }

  #text(method: string, path: string, options: CallOptions): Promise<string> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(method, path, options, {}, reject);
      sent.once("response", (answer: IncomingMessage) => {
        collect(answer).then(
          (text) => ((answer.statusCode ?? 500) < 400 ? resolve(text) : reject(refusal(answer, text))),
          (thrown: unknown) => reject(this.#explain(thrown)),
        );
      });
    });
  }

  #send(
    method: string,
    path: string,
    { body, archive, timeoutMs = this.answerMs, signal }: CallOptions,
    extra: Record<string, string>,
    reject: (error: unknown) => void,
  ): ClientRequest {
    const bytes = archive ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
    const type = archive === undefined ? "application/json" : "application/x-tar";
    const sent = request({
      socketPath: this.socketPath,
      agent: timeoutMs === 0 ? false : this.#agent,
      method,
      path,
      headers: {
        Host: "docker",
        ...(bytes === undefined ? {} : { "Content-Type": type }),
        "Content-Length": bytes?.length ?? 0,
        ...extra,
      },
    });
    const stop = (error: Error): void => void sent.destroy(error);
    const onAbort = (): void => stop(abortedError("docker"));
    const timer =
      timeoutMs === 0 ? undefined : setTimeout(() => stop(hung(this.socketPath, timeoutMs)), timeoutMs);
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    sent.once("close", settle);
    sent.once("upgrade", settle);
    // Must not keep the process running.
    if (timeoutMs === 0) sent.once("socket", (socket) => socket.unref());
    sent.on("error", (thrown) => reject(this.#explain(thrown)));
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort);
    sent.end(bytes);
    return sent;
  }

  #explain(thrown: unknown): unknown {
    if (HaftError.is(thrown) || thrown instanceof EngineError) return thrown;
    const code = (thrown as { code?: unknown }).code;
    const unavailable = (why: string, fix: string): HaftError =>
      dockerError("SANDBOX_UNAVAILABLE", why, fix, { cause: thrown });
    if (code === "EACCES" || code === "EPERM")
      return unavailable(
        `this user may not open ${this.socketPath}`,
        "Add the user to the group docker (which makes it as powerful as root), or use rootless Docker.",
      );
    if (code === "ENOENT" || code === "ECONNREFUSED")
      return unavailable(
        `no Engine listens at ${this.socketPath}`,
        "Start Docker, or set DOCKER_HOST to unix:// and the path of its socket.",
      );
    const why = `the connection to the Engine failed (${getErrorMessage(thrown)})`;
    return unavailable(why, "Check that Docker runs, then try again.");
  }
}

function hung(path: string, ms: number): HaftError {
  const fix = "Restart Docker when it hangs; try again when the machine is merely busy.";
  return dockerError("SANDBOX_UNAVAILABLE", `the Engine at ${path} did not answer within ${ms} ms`, fix);
}

async function collect(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER) throw new Error("its answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function refusal(answer: IncomingMessage, text: string): EngineError {
  const parsedText = parsed(text) as { message?: unknown } | undefined;
  const message = typeof parsedText?.message === "string" ? parsedText.message : text.slice(0, 1000);
  return new EngineError(answer.statusCode ?? 500, message.trim().replace(/\.$/, ""));
}

function parsed(text: string): unknown {
  const last = text.trim().split("\n").at(-1) ?? "";
  return attempt((): unknown => JSON.parse(text)) ?? attempt((): unknown => JSON.parse(last));
}

function minor(version: string): number {
  const [major = "0", rest = "0"] = version.split(".");
  return Number(major) * 1000 + Number(rest);
}

/** Default: `DOCKER_HOST`, or the first existing of Docker, rootless Docker, Docker Desktop and Podman. */
export function findEngineSocket(named?: string, env: NodeJS.ProcessEnv = process.env): string {
  if (named !== undefined) return named.replace(/^unix:\/\//, "");
  const host = env["DOCKER_HOST"];
  if (host !== undefined && host !== "") {
    if (host.startsWith("unix://")) return host.slice("unix://".length);
    const why = `DOCKER_HOST is ${JSON.stringify(host)}, but only an Engine on this machine can mount its folders`;
    const fix = "Set DOCKER_HOST to unix:// and the path of a socket, or unset it.";
    throw dockerError("SANDBOX_UNAVAILABLE", why, fix);
  }
  const sockets = listUsualSockets(env);
  return sockets.find((path) => existsSync(path)) ?? sockets[0]!;
}

export function hasEngine(env: NodeJS.ProcessEnv = process.env): boolean {
  return (env["DOCKER_HOST"] ?? "") !== "" || listUsualSockets(env).some((path) => existsSync(path));
}

function listUsualSockets(env: NodeJS.ProcessEnv): string[] {
  const runtime = env["XDG_RUNTIME_DIR"] ?? `/run/user/${process.getuid?.() ?? 0}`;
  return [
    "/var/run/docker.sock",
    join(runtime, "docker.sock"),
    join(homedir(), ".docker/run/docker.sock"),
    join(runtime, "podman/podman.sock"),
    "/run/podman/podman.sock",
  ];
}
