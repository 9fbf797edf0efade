import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { containerConfig } from "../../../src/docker/container/container-config.ts";
import { profileFile } from "../../../src/docker/container/system-call-profile.ts";
import { specFor } from "../../spec-for.ts";
import { catchFailure, tempFolder } from "../../support.ts";

/** What is tried for real by `npm run try:engines`, where there is a Podman. */
function configOf(ways: { isPodman: boolean; rootless: boolean }) {
  const folder = tempFolder("podman");
  const config = containerConfig({
    spec: specFor(folder),
    mounts: specFor(folder).mounts,
    system: [],
    engine: { readOnlyMode: "one-by-one", ...ways },
    image: "some",
    volumes: [],
    createdAt: 1,
    profile: "/some/profile.json",
    command: ["true"],
    start: {
      runner: "image-node",
      kind: "program",
      guarded: false,
      init: ["/init"],
      system: [],
      command: ["true"],
      keeper: () => [],
    },
  }) as { HostConfig: HostConfig; User: string };
  return { ...config.HostConfig, User: config.User };
}

interface HostConfig {
  SecurityOpt: string[];
  Tmpfs: Record<string, string>;
  Ulimits: { Name: string; Hard: number }[];
  UsernsMode?: string;
}

test("passes Podman masked paths as an option, no owner of /tmp, and an allowed process limit", () => {
  const { SecurityOpt, Tmpfs, Ulimits, UsernsMode } = configOf({ isPodman: true, rootless: false });
  expect(SecurityOpt).toContain("seccomp=/some/profile.json");
  expect(SecurityOpt.find((one) => one.startsWith("mask="))).toMatch(/:\/proc\/slabinfo:.*:\/sys\/kernel:/);
  for (const path of ["/tmp", "/run", "/var/tmp"])
    expect(Tmpfs[path]).toMatch(/,size=\d+,mode=1777,notmpcopyup$/);
  const numbers = Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
  expect(Ulimits.find(({ Name }) => Name === "nproc")?.Hard).toBeLessThanOrEqual(numbers);
  expect(UsernsMode).toBeUndefined();
});

test("maps the workspace's owner to the same uid in rootless Podman, and to uid 0 in rootless Docker", () => {
  const owner = `${process.getuid!()}:${process.getgid!()}`;
  const podman = configOf({ isPodman: true, rootless: true });
  expect([podman.User, podman.UsernsMode]).toEqual([owner, "keep-id"]);
  const docker = configOf({ isPodman: false, rootless: true });
  expect([docker.User, docker.UsernsMode]).toEqual(["0:0", undefined]);
  expect(docker.Tmpfs["/tmp"]).toMatch(/,uid=0,gid=0$/);
  expect(docker.SecurityOpt.some((one) => one.startsWith("mask="))).toBe(false);
});

test("writes the profile once, writable only for this user, and replaces changed content", async () => {
  const folder = tempFolder("profiles");
  const path = await profileFile("{}", folder);
  const { ino, mode } = statSync(path);
  expect([readFileSync(path, "utf8"), mode & 0o777]).toEqual(["{}", 0o444]);
  expect(await profileFile("{}", folder)).toBe(path);
  expect(statSync(path).ino).toBe(ino);
  chmodSync(path, 0o644);
  writeFileSync(path, "{ }");
  await profileFile("{}", folder);
  expect(readFileSync(path, "utf8")).toBe("{}");
  // A link there leads nowhere.
  const other = tempFolder("profiles");
  const target = join(tempFolder("target"), "file");
  writeFileSync(target, "{}");
  symlinkSync(target, join(other, path.slice(folder.length + 1)));
  expect(statSync(await profileFile("{}", other)).ino).not.toBe(statSync(target).ino);
});

test("rejects a folder that others can write to", async () => {
  const folder = join(tempFolder("profiles"), "open");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const failure = await catchFailure(profileFile("{}", folder));
  expect(failure.code).toBe("SANDBOX_START_FAILED");
  expect(failure.message).toMatch(/Podman reads the list of system calls from a file, .*others can write to/);
});
