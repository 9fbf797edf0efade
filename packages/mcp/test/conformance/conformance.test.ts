import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serveEndpoint } from "../support/connect-http.ts";
import { createTestMachine } from "../support/machine.ts";
import { fixtureTools } from "./fixture-tools.ts";
import { SUITE } from "./suite.ts";

// The official suite, over HTTP: all its scenarios that are about tools. Prompts, resources, completions and tasks are not served.
const OF_BOTH =
  "tools-list tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content " +
  "tools-call-error tools-call-with-progress server-sse-multiple-streams dns-rebinding-protection json-schema-2020-12";
const SCENARIOS = {
  "2025-11-25":
    `${OF_BOTH} server-initialize logging-set-level ping tools-call-with-logging tools-call-sampling ` +
    "tools-call-elicitation elicitation-sep1034-defaults elicitation-sep1330-enums server-session-lifecycle",
  "2026-07-28":
    `${OF_BOTH} server-stateless http-header-validation ` +
    [
      ..."basic-elicitation basic-sampling basic-list-roots request-state multiple-input-requests multi-round".split(
        " ",
      ),
      ..."missing-input-response result-type unsupported-methods tampered-state capability-check".split(" "),
      ..."ignore-extra-params validate-input".split(" "),
    ]
      .map((name) => `input-required-result-${name}`)
      .join(" "),
} as const;

test.each(Object.entries(SCENARIOS))("passes the conformance scenarios of %s", async (revision, names) => {
  const { source } = await createTestMachine({}, { more: fixtureTools });
  // The suite has no token.
  const tenant = { label: "suite", source: () => source };
  const { url } = await serveEndpoint({}, { resolveTenant: () => tenant });
  const args = [SUITE, "server", "--url", url, "--requirements", revision];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
  const found = new Map(
    [...printed.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, (\d+) failed/gm)].map(([, mark, name, failed]) => [
      name,
      mark === "✓" && failed === "0",
    ]),
  );
  const wanted = names.split(" ");
  const failed = wanted.filter((name) => found.get(name) !== true);
  expect({ failed, said: failed.length > 0 ? printed : "" }).toEqual({ failed: [], said: "" });
});
