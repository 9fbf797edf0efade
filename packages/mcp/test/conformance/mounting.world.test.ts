import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { SUITE } from "./suite.ts";

/** What mounts a server: who is signed in, and by whom; what is sent with a call; what is taken of what it says. */
const MOUNTING = {
  "2025-11-25": "tools_call sse-retry auth/metadata-var3 auth/scope-step-up auth/pre-registration",
  "2026-07-28":
    "tools_call request-metadata http-standard-headers http-custom-headers http-invalid-tool-headers json-schema-ref-no-deref " +
    "json-schema-2020-12-preservation auth/scope-from-www-authenticate auth/offline-access-scope auth/resource-mismatch " +
    "auth/authorization-server-migration auth/iss-wrong-issuer auth/token-endpoint-auth-basic",
} as const;

// Left out are what Haft does not do: it asks nobody in the name of a server (elicitation, sampling), and has no address on the web
// that describes it to authorization servers (CIMD).
const mounting = Object.entries(MOUNTING).flatMap(([revision, names]) =>
  names.split(" ").map((name) => [name, revision] as const),
);

test.each(mounting)("mounting passes the scenario %s of %s", async (name, revision) => {
  const program = join(import.meta.dirname, "mounting-program.ts");
  const command = [process.execPath, ...process.execArgv, "--no-warnings", program].join(" ");
  const args = [SUITE, "client", "--command", command, "--scenario", name, "--spec-version", revision];
  const child = spawn(process.execPath, ["--no-warnings", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect(`${output}${errors}`).toContain("OVERALL: PASSED");
});
