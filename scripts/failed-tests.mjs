// What a JSON report of Vitest says:
//   counts REPORT  passed, failed and skipped tests
//   names REPORT   the failed tests with the beginning of their errors
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

const [what, report] = process.argv.slice(2);
const text = existsSync(report) ? readFileSync(report, "utf8") : "";
// A run that broke before its end wrote no report.
const { testResults } = text === "" ? { testResults: [] } : JSON.parse(text);
const tests = testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map((test) => ({ file: relative(process.cwd(), name), ...test })),
);
const failed = tests.filter(({ status }) => status === "failed");
const broken = testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((test) => test.status === "failed"),
);

if (what === "counts") {
  const passed = tests.filter(({ status }) => status === "passed").length;
  const lost = failed.length + broken.length;
  console.log(`${passed} ${lost} ${tests.length - passed - failed.length}`);
} else {
  for (const { name, message } of broken)
    console.log(`FAILED FILE: ${relative(process.cwd(), name)}\n    ${message.slice(0, 600)}`);
  for (const { file, fullName, failureMessages } of failed)
    console.log(`FAILED TEST: ${file} > ${fullName}\n    ${failureMessages.join("\n").slice(0, 600)}`);
}
