import type { Socket } from "node:net";
import { pipeline } from "node:stream";

/** Passes on what either says, until both have said everything. When one breaks, so does the other. */
export function joinStreams(one: Socket, other: Socket): void {
  pipeline(one, other, () => {});
  pipeline(other, one, () => {});
}
