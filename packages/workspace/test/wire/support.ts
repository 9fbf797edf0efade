import { type Duplex, duplexPair } from "node:stream";
import { connectRunner, type RunnerConnection, type RunnerSettings } from "../../src/internal/wire.ts";
import { type Frame, readFrames, writeFrame } from "../../src/wire/frames.ts";
import { PROTOCOL_VERSION } from "../../src/wire/protocol.ts";

export const HELLO = {
  hello: PROTOCOL_VERSION,
  node: "22.0.0",
  platform: "linux",
  uid: 1000,
  gid: 1000,
  home: "/",
  capabilities: { files: true, processes: true, pty: true, identify: true },
  clock: 0,
};

/** The other end of a connection, in the hands of a test. */
export interface FakeRunner {
  stream: Duplex;
  send(head: unknown, body?: Uint8Array): void;
  /** Bytes as they are, frames or not. */
  raw(bytes: Uint8Array | string): void;
}

export interface RunnerCall extends Frame {
  n: number;
  op: string;
}

/** A connection to a runner that greets, opens, and then answers as the test wants. */
export async function connectFakeRunner(
  answer: (runner: FakeRunner, call: RunnerCall) => void,
  settings: Partial<RunnerSettings> = {},
): Promise<{ connection: RunnerConnection; runner: FakeRunner }> {
  const [local, remote] = duplexPair();
  const runner: FakeRunner = {
    stream: remote,
    send: (head, body) => void writeFrame(remote, head as object, body === undefined ? [] : [body]),
    raw: (bytes) => void remote.write(bytes),
  };
  remote.on("error", () => {});
  readFrames(
    remote,
    (frame) => {
      if (frame.head["op"] === "open")
        return runner.send({ n: frame.head["n"], value: { env: { PATH: "/bin" } } });
      if ("op" in frame.head)
        answer(runner, { ...frame, n: frame.head["n"] as number, op: frame.head["op"] as string });
    },
    () => {},
  );
  runner.send(HELLO);
  const connection = await connectRunner(local, {
    mounts: [{ name: "", path: "/workspace", access: "rw" }],
    answerMs: 2_000,
    ...settings,
  });
  return { connection, runner };
}
