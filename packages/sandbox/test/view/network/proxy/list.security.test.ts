import { connect, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { allowsPackages, openTestNetwork, startTestInternet, exchangeBytes } from "../support.ts";

/** As a list has it that names no address. */
const isName = (host: string) => isIP(host) === 0;
const page = (url: string, host = "packages.example.com") =>
  `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const tunnel = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;

test("reaches a listed host, plainly and in a tunnel", async () => {
  const { options, received, connected } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  expect(await exchangeBytes(network, page("http://packages.example.com/a?b=c"))).toMatch(
    /^HTTP\/1\.1 200 OK\r\n[^]*hello from packages\.example\.com\n/,
  );
  const inner = "GET /inner HTTP/1.1\r\nHost: packages.example.com\r\nConnection: close\r\n\r\n";
  expect(await exchangeBytes(network, tunnel("Packages.Example.COM.:443") + inner)).toMatch(
    /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[^]*hello from/,
  );
  expect(received.map(({ url }) => url)).toEqual(["/a?b=c", "/inner"]);
  expect(connected).toEqual(["198.51.100.7 80", "198.51.100.7 443"]);
});

test("refuses another host with an explanation before its name is resolved, and reports it once", async () => {
  const { options, received, lookedUp } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const sentence =
    'other.example.com is not on the list of this session\'s network: call exec again with network: ["other.example.com"]; a person decides.';
  for (const request of [tunnel("other.example.com:443"), page("http://other.example.com/")]) {
    const answer = await exchangeBytes(network, request);
    expect(answer).toMatch(/^HTTP\/1\.1 403 other\.example\.com is not on the list/);
    expect(answer).toContain(`\r\n\r\n${sentence}\n`);
  }
  expect(lookedUp).toEqual([]);
  expect(received).toEqual([]);
  expect(network.takeRefusals()).toMatchObject({
    refusals: [{ host: "other.example.com", message: sentence }],
    more: 0,
  });
  expect(network.takeRefusals()).toEqual({ refusals: [], more: 0 });
});

test("refuses all hosts with an empty list, and reports their names", async () => {
  const { options, connected, lookedUp } = await startTestInternet();
  const network = await openTestNetwork(options);
  await exchangeBytes(network, tunnel("packages.example.com:443"));
  expect(network.takeRefusals().refusals.map(({ host, why }) => [host, why])).toEqual([
    ["packages.example.com", "unlisted"],
  ]);
  expect([...connected, ...lookedUp]).toEqual([]);
});

test("reaches an approved host from then on, in this session only", async () => {
  const { options } = await startTestInternet();
  const [network, other] = [await openTestNetwork(options), await openTestNetwork(options)];
  network.allow("Packages.example.com");
  expect(await exchangeBytes(network, page("http://packages.example.com/"))).toContain("hello from");
  expect(await exchangeBytes(other, page("http://packages.example.com/"))).toContain(" 403 ");
  expect(await exchangeBytes(network, page("http://packages.example.com:8080/"))).toMatch(
    /403 packages\.example\.com is on the list .* its port 8080 is not: .*\["packages\.example\.com:8080"\]/,
  );
  network.allow("packages.example.com:8080");
  expect(await exchangeBytes(network, page("http://packages.example.com:8080/"))).toContain(
    "hello from packages.example.com:8080",
  );
  expect(await exchangeBytes(network, tunnel("packages.example.com:22"))).toContain(" 403 ");
});

test.each([
  "",
  "*",
  "*.example.com",
  "http://example.com",
  "example.com/",
  "a b",
  "example.com:0",
  "example.com:99999",
  "127.1",
  "2130706433",
  "a@b",
  "[::1",
  "x\n",
])("rejects an approval of %j", async (text) => {
  const network = await openTestNetwork();
  expect(() => network.allow(text)).toThrow(/is not a host that can be allowed/);
});

test("refuses names that resolve to a local network, unless the address is listed", async () => {
  const { options, connected } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: isName });
  const answer = await exchangeBytes(network, page("http://inner.example.com/"));
  expect(answer).toMatch(/403 inner\.example\.com resolves to 10\.1\.2\.3, a local address/);
  expect(answer).toContain('network: ["inner.example.com","10.1.2.3"]');
  expect(await exchangeBytes(network, tunnel("10.1.2.3:443"))).toContain(" 403 ");
  expect(await exchangeBytes(network, page("http://metadata.example.com/latest/meta-data/"))).toContain(
    " 403 ",
  );
  expect(connected).toEqual([]);
  network.allow("10.1.2.3");
  expect(await exchangeBytes(network, page("http://inner.example.com/"))).toContain(" 200 ");
  const listed = await openTestNetwork({ ...options, allows: () => true, localAddresses: ["10.1.2.3"] });
  expect(await exchangeBytes(listed, page("http://inner.example.com/"))).toContain(" 200 ");
  expect(connected).toEqual(["10.1.2.3 80", "10.1.2.3 80"]);
});

test("does not accept an approval of a local address that only * covers", async () => {
  const { options, connected } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  for (const address of ["10.1.2.3", "10.1.2.3:80", "[::ffff:10.1.2.3]:80"]) network.allow(address);
  const refused =
    /403 inner\.example\.com resolves to 10\.1\.2\.3, .*: the list must name 10\.1\.2\.3 itself/;
  expect(await exchangeBytes(network, page("http://inner.example.com/"))).toMatch(refused);
  expect(await exchangeBytes(network, page("http://10.1.2.3/"))).toContain(" 403 ");
  expect(connected).toEqual([]);
});

test("connects only to the allowed addresses of a name", async () => {
  const { options, connected } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  expect(await exchangeBytes(network, page("http://both.example.com/"))).toContain(" 200 ");
  expect(connected).toEqual(["198.51.100.7 80"]);
});

test("checks the addresses of a name at each request, and connects only to these", async () => {
  const { options, connected } = await startTestInternet();
  const answers = ["198.51.100.7", "127.0.0.1", "169.254.169.254"];
  const network = await openTestNetwork({
    ...options,
    allows: () => true,
    lookup: async () => [{ address: answers.shift()!, family: 4 }],
  });
  const statuses = [];
  for (const _ of [1, 2, 3])
    statuses.push((await exchangeBytes(network, page("http://turning.example.com/"))).slice(9, 12));
  expect(statuses).toEqual(["200", "403", "403"]);
  expect(connected).toEqual(["198.51.100.7 80"]);
});

test.each([
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "127.0.0.1",
  "127.9.9.9",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[::127.0.0.1]",
  "loop.example.com",
  "mapped.example.com",
  "zero.example.com",
])("refuses %s, which is the host itself, with any list", async (host) => {
  const { options, connected } = await startTestInternet();
  const network = await openTestNetwork({
    ...options,
    allows: () => true,
    localAddresses: ["127.0.0.1", "::1"],
  });
  network.allow("127.0.0.1");
  for (const request of [page(`http://${host}/`), tunnel(`${host}:443`), tunnel(`${host}:3128`)]) {
    expect(await exchangeBytes(network, request)).toMatch(/^HTTP\/1\.1 403 /);
  }
  expect(connected).toEqual([]);
  const [refused] = network.takeRefusals().refusals;
  expect(refused!.message).toMatch(/is the machine that commands of this session must not reach/);
});

test.each([
  "10.0.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "100.100.100.200",
  "169.254.169.254",
  "168.63.129.16",
  "224.0.0.1",
  "255.255.255.255",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[ff02::1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:a9fe:a9fe]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::1]",
  "[fec0::1]",
])("refuses %s, a local address that * does not include", async (host) => {
  const { options, connected } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  expect(await exchangeBytes(network, tunnel(`${host}:443`))).toMatch(/^HTTP\/1\.1 403 /);
  expect(connected).toEqual([]);
});

test("refuses addresses of this machine", async () => {
  const { options, connected } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? [])) {
    const host = address.includes(":") ? `[${address.replace(/%.*/, "")}]` : address;
    network.allow(`${host}:443`);
    expect(await exchangeBytes(network, tunnel(`${host}:443`))).toContain(
      "is the machine that commands of this session must not reach",
    );
  }
  expect(connected).toEqual([]);
});

test("reports unreachable hosts, but not as refusals", async () => {
  const { options, port, server } = await startTestInternet();
  const network = await openTestNetwork({
    ...options,
    allows: () => true,
    // Where nothing listens: a port that was somebody's until just now.
    connect: () => connect(port, "127.0.0.1"),
  });
  await new Promise((resolve) => server.close(resolve));
  expect(await exchangeBytes(network, tunnel("nowhere.example.com:443"))).toContain(
    "its name could not be resolved (ENOTFOUND)",
  );
  expect(await exchangeBytes(network, tunnel("packages.example.com:443"))).toContain(
    "502 packages.example.com was not reached: ECONNREFUSED",
  );
  expect(await exchangeBytes(network, page("http://packages.example.com/"))).toContain(
    "502 packages.example.com was not reached: ECONNREFUSED",
  );
  expect(network.takeRefusals().refusals).toEqual([]);
});
