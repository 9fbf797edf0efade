/** No letters or digits that people mix up. */
const LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
const LENGTH = 8;

/** An id of 8 characters (39 bits), short enough to type, that `isTaken` does not know. */
export function newShortId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
    const id = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("");
    if (!isTaken(id)) return id;
  }
}
