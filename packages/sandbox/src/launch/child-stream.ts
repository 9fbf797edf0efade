import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { ExplainedStream } from "./explained-stream.ts";

export class ChildStream extends ExplainedStream {
  constructor({ stdin, stdout }: ChildProcessWithoutNullStreams) {
    super(stdin, stdout);
    stdout.on("data", (bytes: Buffer) => this.hear(bytes));
    stdout.once("end", () => this.hearEnd());
    stdout.once("error", () => this.hearEnd());
  }
}
