import { storeError } from "../../errors.ts";

/** Text that was kept as JSON. @throws HaftError `STORE_CORRUPT` */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw storeError("STORE_CORRUPT", "A record of the store is damaged: it is no JSON any more.", {
      cause: thrown,
    });
  }
}
