import { RunnerError } from "../runner-error.ts";
import type { ReplyError } from "./protocol.ts";

export interface MadeError {
  made: ReplyError & { code: string; category: string };
}

/** It was cancelled before all of its request was sent: nothing has happened. */
export class NeverSent extends Error {}

/** Thrown for what {@link MadeError} holds. */
export class RunnerMadeError extends Error implements MadeError {
  readonly made: MadeError["made"];

  constructor(made: MadeError["made"]) {
    super(made.why);
    this.made = made;
  }
}

export function asError(error: ReplyError): Error {
  const { code, why, category, ...rest } = Object(error) as ReplyError;
  const text = typeof why === "string" ? why : "it gives no reason";
  if (typeof code !== "string") return new Error(text);
  if (typeof category !== "string") return new RunnerError(code as RunnerError["code"], text);
  return new RunnerMadeError({ ...rest, code, category, why: text });
}
