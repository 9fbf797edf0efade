import type { Writable } from "node:stream";

/**
 * For `node -e`: reads a program from standard input, preceded by its length, and runs it on what follows. Without
 * a single quote, a dollar sign or a backslash, so that any shell takes it as it is.
 */
export const BOOTSTRAP = [
  "const i=process.stdin;let n;",
  "const t=()=>{",
  "if(n===undefined){const h=i.read(4);if(!h||h.length<4)return;n=h.readUInt32LE(0)}",
  // When the input has ended, `read` returns less than it was asked for: part of a program is not run.
  "const s=i.read(n);if(!s||s.length<n)return;",
  'i.off("readable",t);(0,eval)(s.toString())};',
  'i.on("readable",t)',
].join("");

/** Sends the program {@link BOOTSTRAP} waits for. Everything written afterwards is for the program. */
export function withProgram(stream: Writable, source: string): void {
  const bytes = Buffer.from(source);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  stream.write(Buffer.concat([length, bytes]));
}
