import { expect, test } from "vitest";
import { indexLines, registryLines } from "../../../src/view/network/registry-lines.ts";

test("extracts only the registries of an .npmrc", () => {
  const { text, hosts } = registryLines(
    [
      "; a comment",
      "# registry=https://commented.example.com/",
      "registry=https://packages.example.com/npm/",
      '@work:registry = "https://npm.work.example.com:8443/path/"',
      "@other.scope-1:registry='http://[2001:db8::1]/'",
      "//packages.example.com/npm/:_authToken=TOKEN",
      "//packages.example.com/npm/:username=USER",
      "//packages.example.com/npm/:_password=PASSWORD",
      "_auth=BASIC",
      "_authToken = OLD",
      "email=me@example.com",
      "cafile=/etc/ca.pem",
      "key=PRIVATE",
      "script-shell=/tmp/evil",
      "node-options=--require /tmp/evil.js",
      "https-proxy=http://user:SECRET@proxy.example.com/",
      "always-auth=true",
    ].join("\r\n"),
  );
  expect(text).toBe(
    [
      "registry=https://packages.example.com/npm/",
      "@work:registry=https://npm.work.example.com:8443/path/",
      "@other.scope-1:registry=http://[2001:db8::1]/",
      "",
    ].join("\n"),
  );
  expect(hosts).toEqual(["packages.example.com", "npm.work.example.com:8443", "[2001:db8::1]"]);
});

test.each([
  ["registry=https://user:SECRET@packages.example.com/", "registry=https://packages.example.com/\n"],
  ["registry=https://SECRET@packages.example.com/npm/", "registry=https://packages.example.com/npm/\n"],
  ["registry=https://packages.example.com/?token=SECRET#SECRET", "registry=https://packages.example.com/\n"],
  ["registry=https://${SECRET}@packages.example.com/", ""],
  ["registry=https://packages.example.com/${SECRET}/", ""],
  ["registry=file:///SECRET", ""],
  ["registry=javascript:SECRET", ""],
  ["registry=SECRET", ""],
  ["registry=", ""],
  ["registry[]=https://SECRET.example.com/", ""],
  ["registryx=https://SECRET.example.com/", ""],
  ["@work:registry2=https://SECRET.example.com/", ""],
  ["registry=https://packages.example.com/ //x/:_authToken=SECRET", ""],
  ["registry=https://packages.example.com/\u001b[31mSECRET", ""],
  ["", ""],
  ["\0registry=https://SECRET", ""],
])("reduces %j to %j", (npmrc, text) => {
  expect(registryLines(npmrc).text).toBe(text);
});

test("extracts only the indexes of a pip.conf", () => {
  const { text, hosts } = indexLines(
    [
      "[global]",
      "index-url = https://earlier.example.com/simple/",
      "index-url = https://user:SECRET@pip.example.com/simple/",
      "extra-index-url =",
      "    https://SECRET@extra.example.com/simple",
      "    https://second.example.com:8443/simple?x=SECRET",
      "trusted-host = pip.example.com",
      "client-cert = /home/user/SECRET.pem",
      "    https://continued.example.com/",
      "[install]",
      "extra_index_url: http://third.example.com/",
      "password = SECRET",
    ].join("\n"),
  );
  expect(text).toBe(
    [
      "[global]",
      "index-url = https://pip.example.com/simple/",
      "extra-index-url = https://extra.example.com/simple",
      "    https://second.example.com:8443/simple",
      "    http://third.example.com/",
      "",
    ].join("\n"),
  );
  expect(hosts).toEqual([
    "pip.example.com",
    "extra.example.com",
    "second.example.com:8443",
    "third.example.com",
  ]);
  expect(indexLines("[global]\nindex-url = https://${TOKEN}@x.example.com/\nno-index = true\n")).toEqual({
    text: "",
    hosts: [],
  });
});

test.each(["constructor", "__proto__", "toString"])("treats a key named %s like any other", (key) => {
  expect(indexLines(`${key} = https://x.example.com/\n  https://y.example.com/`).text).toBe("");
});
