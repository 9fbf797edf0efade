import { HaftError } from "@haft/core";

/** Code and receipt of what something throws; `none` where it does not. */
export async function catchErrorCode(doing: () => unknown): Promise<string> {
  try {
    await doing();
    return "none";
  } catch (thrown) {
    return HaftError.is(thrown) ? `${thrown.code} ${thrown.receipt}` : String(thrown);
  }
}
