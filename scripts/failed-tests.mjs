// What the JSON reports of one suite's tries say, for `.ci/run`:
//   counts REPORT…  passed, failed and skipped tests; of a file that was tried again, its last try
//   names REPORT…   the failed tests with the beginning of their errors
//   files REPORT…   the files to try again; exits with 1 when a second try would be no answer
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** More than this is no accident of a busy machine. */
const MOST_FILES = 5;

const [what, ...reports] = process.argv.slice(2);
const files = new Map(
  reports
    .flatMap((report) => read(report).testResults)
    .map((file) => [relative(process.cwd(), file.name), file]),
);
const tests = [...files].flatMap(([file, { assertionResults }]) =>
  assertionResults.map((test) => ({ file, ...test })),
);
const failed = tests.filter(({ status }) => status === "failed");
const failedFiles = [...files].filter(([, { status }]) => status === "failed").map(([file]) => file);

switch (what) {
  case "counts": {
    const passed = tests.filter(({ status }) => status === "passed").length;
    console.log(`${passed} ${failed.length} ${tests.length - passed - failed.length}`);
    break;
  }
  case "names":
    for (const { file, fullName, failureMessages } of failed) {
      console.log(`FAILED TEST: ${file} > ${fullName}\n    ${failureMessages.join("\n").slice(0, 600)}`);
    }
    break;
  case "files":
    console.log(failedFiles.join("\n"));
    process.exitCode = failedFiles.length > 0 && failedFiles.length <= MOST_FILES ? 0 : 1;
    break;
  default:
    throw new Error(`failed-tests.mjs: no such question: ${what}`);
}

/** A run that broke before its end wrote no report: there is nothing to count then. */
function read(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { testResults: [] };
  }
}
