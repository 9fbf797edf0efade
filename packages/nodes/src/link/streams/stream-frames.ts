import type { WorkspaceEnd } from "../../contract/workspace.ts";
import type { FrameHead } from "../frame.ts";
import { readObject } from "../read-object.ts";
import type { StreamSegment } from "./flow-controlled-stream.ts";

/** The receiver validates absent fields. */
export function toStreamSegment({ from, end, have, until, again }: FrameHead): StreamSegment {
  return {
    from: from ?? -1,
    have: have ?? -1,
    until: until ?? -1,
    ...(end === true && { end }),
    ...(again === true && { again }),
  };
}

export function readEnd(body: Uint8Array): WorkspaceEnd {
  const { why, oom, exitCode } = readObject(body) ?? {};
  return {
    why: typeof why === "string" && why !== "" ? why.slice(0, 500).toWellFormed() : "the node ended it",
    ...(oom === true && { oom }),
    ...(Number.isSafeInteger(exitCode) && { exitCode: exitCode as number }),
  };
}
