import { keepCompiled } from "../../../../../test/support/compile-cache.ts";
import {
  createArtifactScanner,
  type ArtifactScannerOptions,
} from "../../../src/view/artifacts/create-artifact-scanner.ts";

/** A host of its own, to be killed while a command of it runs. */
keepCompiled();
const scanner = createArtifactScanner(JSON.parse(process.argv[2]!) as ArtifactScannerOptions);
await scanner.before();
await scanner.after();
await scanner.finish();
await scanner.before();
process.stdout.write("runs\n");
process.stdin.resume();
