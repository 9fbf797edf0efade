import type { HaftError } from "@haft/core";
import { storeError } from "../../errors.ts";

const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** @throws HaftError `APPROVAL_ID_TAKEN` for what cannot be the name of a request or grant */
export function requireId(id: string): void {
  if (typeof id !== "string" || !ID.test(id)) throw idTaken(id);
}

export function idTaken(id: string): HaftError {
  return storeError("APPROVAL_ID_TAKEN", `${JSON.stringify(id)} cannot be the name of something new.`);
}
