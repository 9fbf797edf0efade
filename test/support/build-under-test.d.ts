/**
 * The folder into which the packages were installed that the tests run against (`npm run test:packed`); `undefined` where
 * they run against the sources.
 */
export declare const packed: string | undefined;
/** What Node takes so that a program imports the packages that are tested: by their build, or by their sources. */
export declare const conditions: readonly string[];
/**
 * What starts the `haft` command of the build that is tested; its arguments follow. Where the packages were just built
 * (`HAFT_BUILT=1`: `npm test`, `.ci/run`) it is that build, which starts in a quarter of the time; else the sources.
 */
export declare const haftCommand: readonly string[];
/** The runner that is tested, as a program: of the build, where there is one. */
export declare const runnerFile: string;
