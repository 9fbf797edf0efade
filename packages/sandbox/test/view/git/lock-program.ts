import { keepCompiled } from "../../../../../test/support/compile-cache.ts";
import { whileLocked } from "../../../src/view/git/write-in-place.ts";

/** Holds the lock of a file until it is killed. */
keepCompiled();
await whileLocked(process.argv[2]!, () => {
  process.stdout.write("locked\n");
  return new Promise(() => setInterval(() => {}, 60_000));
});
