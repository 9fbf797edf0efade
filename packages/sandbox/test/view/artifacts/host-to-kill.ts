import { keepCompiled } from "../../../../../test/support/compile-cache.ts";
import {
  createArtifactScanner,
  type ArtifactScannerOptions,
} from "../../../src/view/artifacts/create-artifact-scanner.ts";

/** A host of its own, to be killed while a command of it runs. */
keepCompiled();
const lookout = createArtifactScanner(JSON.parse(process.argv[2]!) as ArtifactScannerOptions);
await lookout.before();
await lookout.after();
await lookout.finish();
await lookout.before();
process.stdout.write("runs\n");
process.stdin.resume();
