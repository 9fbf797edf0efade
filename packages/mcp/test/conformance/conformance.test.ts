import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { machine } from "../support/machine.ts";
import { endpoint } from "../support/over-http.ts";
import { fixtureTools } from "./fixture-tools.ts";

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

/** What mounts a server: who is signed in, and by whom; what is sent with a call; what is taken of what it says. */
const MOUNTING = {
  "2025-11-25": "tools_call sse-retry auth/metadata-var3 auth/scope-step-up auth/pre-registration",
  "2026-07-28":
    "tools_call request-metadata http-standard-headers http-custom-headers http-invalid-tool-headers json-schema-ref-no-deref " +
    "json-schema-2020-12-preservation auth/scope-from-www-authenticate auth/offline-access-scope auth/resource-mismatch " +
    "auth/authorization-server-migration auth/iss-wrong-issuer auth/token-endpoint-auth-basic",
} as const;

const suite = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);

test.each(Object.entries(SCENARIOS))("the scenarios of %s pass", async (revision, names) => {
  const { source } = await machine({}, { more: fixtureTools });
  // The suite has no token.
  const tenant = { label: "suite", source: () => source };
  const { url } = await endpoint({}, { tenantOf: () => tenant });
  const args = [suite, "server", "--url", url, "--requirements", revision];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  const found = new Map(
    [...said.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, (\d+) failed/gm)].map(([, mark, name, failed]) => [
      name,
      mark === "✓" && failed === "0",
    ]),
  );
  const wanted = names.split(" ");
  const failed = wanted.filter((name) => found.get(name) !== true);
  expect({ failed, said: failed.length > 0 ? said : "" }).toEqual({ failed: [], said: "" });
});

// Left out are what Haft does not do: it asks nobody in the name of a server (elicitation, sampling), and has no address on the web
// that describes it to authorization servers (CIMD).
const mounting = Object.entries(MOUNTING).flatMap(([revision, names]) =>
  names.split(" ").map((name) => [name, revision] as const),
);

test.each(mounting)("a server is mounted as %s of %s wants it", async (name, revision) => {
  const program = join(import.meta.dirname, "mounting-program.ts");
  const command = [process.execPath, ...process.execArgv, "--no-warnings", program].join(" ");
  const args = [suite, "client", "--command", command, "--scenario", name, "--spec-version", revision];
  const child = spawn(process.execPath, ["--no-warnings", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [said, told] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect(`${said}${told}`).toContain("OVERALL: PASSED");
});
