import { keepCompiled } from "../../../../../test/support/compile-cache.ts";
import { createLookout, type LookoutOptions } from "../../../src/view/left-behind/create-lookout.ts";

/** A host of its own, to be killed while a command of it runs. */
keepCompiled();
const lookout = createLookout(JSON.parse(process.argv[2]!) as LookoutOptions);
await lookout.before();
await lookout.after();
await lookout.finish();
await lookout.before();
process.stdout.write("runs\n");
process.stdin.resume();
