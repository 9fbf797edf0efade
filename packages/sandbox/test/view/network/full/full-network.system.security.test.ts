import { spawn } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../../../test/support/build-under-test.ts";
import { pickShare } from "../../../../../../test/support/share.ts";
import { eventually, tempFolder } from "../../../support.ts";

const HOST = fileURLToPath(new URL("host-program.ts", import.meta.url));
const NODE = `${[process.execPath, ...conditions].join(" ")} --no-warnings`;
const NEEDED = ["pasta", "slirp4netns", "bwrap", "ip", "setpriv", "nsenter", "curl"];

const isThere = (name: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
const lacking = [
  ...NEEDED.filter((name) => !isThere(name)),
  ...(process.getuid?.() === 0 ? [] : ["the rights of root"]),
];
const isLeftOut = lacking.length > 0;
if (isLeftOut && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error(`This must run here: there is no ${lacking.join(", no ")}.`);
if (isLeftOut) process.stderr.write(`LEFT OUT, because there is no ${lacking.join(", no ")}.\n`);
const testWithHelpers: typeof test = isLeftOut ? (test.skip as typeof test) : test;

/** A web server on an address and port, which says where it is. */
const web = (address: string, port: number, text: string) =>
  `require("http").createServer((q, r) => r.end("${text}\\n")).listen(${port}, "${address}");`;
/** Servers of the host's, and a name server that answers with the one address of the internet there is. */
const SERVERS = `${NODE} -e '
${web("127.0.0.1", 8000, "LOOPBACK OF THE HOST")}
${web("::1", 8000, "LOOPBACK OF THE HOST")}
const socket = require("dgram").createSocket("udp4").on("message", (received, { port, address }) => {
  const end = received.indexOf(0, 12) + 5;
  const head = Buffer.from([received[0], received[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]);
  const isA = received[end - 3] === 1;
  if (!isA) head[7] = 0;
  const answer = isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 1]) : Buffer.alloc(0);
  socket.send(Buffer.concat([head, received.subarray(12, end), answer]), port, address);
}).bind(53, "127.0.0.53")' &`;
/** A machine in namespaces of its own, with an internet of one host: a server here, on its loopback, and there. */
const MACHINE = `
set -e
mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200
ip link set lo up
unshare --net sleep 1000 & internet=$!
until [ "$(readlink /proc/$internet/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add v0 type veth peer name v1 netns $internet
ip addr add 203.0.113.2/24 dev v0; ip link set v0 up; ip route add default via 203.0.113.1
nsenter -t $internet --net sh -c 'ip link set lo up; ip addr add 203.0.113.1/24 dev v1; ip link set v1 up'
echo 'nameserver 127.0.0.53' >"$0/host-resolv.conf"; mount --bind "$0/host-resolv.conf" /etc/resolv.conf
nsenter -t $internet --net ${NODE} -e '${web("203.0.113.1", 80, "the internet")}' &
${SERVERS}
until curl -so /dev/null http://203.0.113.1/ && curl -so /dev/null http://127.0.0.1:8000/ && curl -so /dev/null http://x.example.com/; do sleep 0.05; done
eval "$1"`;

const PASTA = `setpriv --reuid 1000 --regid 1000 --clear-groups`;
const REACHED = ["http://203.0.113.1/", "http://x.example.com/"];
const NOT_REACHED = [
  "http://10.0.2.2:8000/",
  "http://10.0.2.3:8000/",
  "http://127.0.0.1:8000/",
  "http://169.254.1.1:8000/",
  "http://203.0.113.1:8000/",
  "http://203.0.113.2:8000/",
  "http://[::1]:8000/",
];
const ASK = `
for at in ${REACHED.join(" ")}; do curl -s "$at"; done
for at in ${NOT_REACHED.map((at) => `"${at}"`).join(" ")}; do { curl -sgm 5 "$at" || echo "not $at"; } & done | LC_ALL=C sort
grep -c @ /proc/net/unix`;

function startMachine(then: string): {
  folder: string;
  output: () => string;
  ended: Promise<string>;
  kill: () => void;
} {
  const folder = tempFolder("full");
  chmodSync(folder, 0o777);
  const child = spawn(
    "unshare",
    [
      "--net",
      "--mount",
      "--pid",
      "--fork",
      "--kill-child",
      "--mount-proc",
      "sh",
      "-c",
      MACHINE,
      folder,
      then,
    ],
    { stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output += bytes.toString()));
  const kill = (): void => void child.kill("SIGKILL");
  onTestFinished(kill);
  return {
    folder,
    output: () => output,
    ended: new Promise((resolve) => child.once("close", () => resolve(output))),
    kill,
  };
}

/** One of the two at random; both in a long campaign. */
const HELPERS = pickShare(
  [
    ["pasta", PASTA],
    ["slirp4netns", ""],
  ] as const,
  2,
);

const runHost = (folder: string, script: string) => `${NODE} ${HOST} ${folder} '${script}'`;

testWithHelpers.each(HELPERS)("reaches everything except the host with %s", async (kind, as) => {
  const machine = startMachine(`echo; ${as} ${runHost('"$0"', ASK)}`);
  const output = await machine.ended;
  const [first = "", ...lines] = output.trim().split("\n");
  expect(output).not.toContain("LOOPBACK OF THE HOST");
  expect(JSON.parse(first)).toMatchObject({ kind });
  expect(lines.slice(0, REACHED.length + NOT_REACHED.length + 1)).toEqual([
    "the internet",
    "the internet",
    ...NOT_REACHED.map((at) => `not ${at}`).toSorted(),
    "0",
  ]);
  expect(output).toContain("\nended: ");
});

testWithHelpers.each(HELPERS)("ends %s and all commands if the host is killed", async (kind, as) => {
  const machine = startMachine(
    `${as} ${runHost('"$0"', "echo up; sleep 7777")} & until [ -e "$0/kill" ]; do sleep 0.05; done
     kill -KILL $!
     while pgrep -fx "sleep 7777" || pgrep ${kind}; do sleep 0.05; done
     echo; echo all gone`,
  );
  await eventually(() => machine.output().includes("up\n"));
  expect(machine.output()).toContain("up\n");
  writeFileSync(join(machine.folder, "kill"), "");
  expect(await eventually(() => machine.output().includes("all gone"))).toBe(true);
});

testWithHelpers("returns an error if a program does not connect the view", async () => {
  // Nobody may open the device, so none can.
  const machine = startMachine(`chmod 600 /dev/net/tun; echo; ${PASTA} ${runHost('"$0"', "echo ran")}`);
  expect(await eventually(() => machine.output().includes("}\n"))).toBe(true);
  expect(machine.output()).toMatch(/pasta did not connect its network namespace \(it ended: /);
  expect(machine.output()).not.toContain("ran\n");
});
