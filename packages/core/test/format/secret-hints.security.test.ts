import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { runsOf } from "../../../../test/support/share.ts";
import { coverSecrets } from "../../src/format/redact.ts";
import { mayHoldSecret } from "../../src/format/secret-hints.ts";

/** What secrets are found by, and what stands between: put together in any order, some of it is covered. */
const PARTS = [
  ..."-p -P -a -k -w -U -u -pw -b --user --proxy-user --password -passin --token --api-key --auth-key".split(
    " ",
  ),
  ..."mysql mariadb 7z rar mongosh mongo zip sqlcmd mosquitto_pub redis-cli ldapsearch openssl curl wget".split(
    " ",
  ),
  ..."smbclient docker login helm aws configure set aws_secret_access_key sshpass htpasswd me: me% pass:".split(
    " ",
  ),
  ..."Authorization: authorization= Bearer basic X-Api-Key: Cookie: id= :// @host https://me: PASSWORD= TOKEN=".split(
    " ",
  ),
  ..."sk-abcdefghijklmnop1234 sk_live_0123456789 ghp_0123456789abcdefghij github_pat_0123456789abcdefghij".split(
    " ",
  ),
  ..."glpat-0123456789abcdef xoxb-0123456789 AKIA0123456789ABCDEF AIza0123456789abcdefghijABCDEFGHIJ".split(
    " ",
  ),
  ..."ya29.0123456789abcdefghij GOCSPX-0123456789abcdefghij npm_0123456789abcdefghij0123456789ab".split(" "),
  ..."pypi-0123456789abcdefghij0123456789abcdefghij01 hf_0123456789abcdefghij SG.0123456789abcdef.0123456789abcdef".split(
    " ",
  ),
  ..."12345678:AA0123456789abcdefghijABCDEFGHIJ eyJ0123456789.0123456789.01234 api_key secret: credentials".split(
    " ",
  ),
  ..."hooks.slack.com/services/T0/B0/abcdef discord.com/api/webhooks/0123/abcdef ssh_pwd= _pass=".split(" "),
  "-----BEGIN PRIVATE KEY-----",
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ",
  "-----END PRIVATE KEY-----",
  ..." \t\n\"\"''=:/".split(""),
  ..."hunter22 h4nt3r main x 22".split(" "),
];

const texts = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 12 })
  .chain((parts) => fc.constantFrom(" ", "", "=").map((between) => parts.join(between)));

property.prop([texts], { numRuns: runsOf(3_000, 6) })("what is covered has a hint of it", (text) => {
  if (coverSecrets(text) !== text) expect(mayHoldSecret(text)).toBe(true);
});

test("each of these is covered with something beside it, and has a hint by itself", () => {
  const alone = PARTS.filter((part) => part.length > 18);
  expect(alone.length).toBeGreaterThan(15);
  for (const part of alone.filter((one) => !one.startsWith("MII"))) expect(mayHoldSecret(part)).toBe(true);
});
