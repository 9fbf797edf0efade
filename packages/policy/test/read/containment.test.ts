import { expect, test } from "vitest";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy, problemsOf } from "../fixtures.ts";

const problems = (exec: unknown) => problemsOf(() => policy({ exec } as PolicyConfig));

// Documents as people mistype them: where the problem is told to be, and what was meant.

test.for<readonly [exec: unknown, path: string, meant?: string]>([
  [{ preset: "contain" }, "exec.preset", "contained"],
  [{ containment: "workspaces" }, "exec.containment", "workspace"],
  [{ containment: "readonly" }, "exec.containment", "read-only"],
  [{ containment: "ro" }, "exec.containment"],
  [{ containment: true }, "exec.containment"],
  [{ containment: false }, "exec.containment"],
  [{ containment: null }, "exec.containment"],
  [{ containment: ["workspace"] }, "exec.containment"],
  [{ containment: { mode: "workspace" } }, "exec.containment"],
  [{ contaiment: "workspace" }, "exec.contaiment", "containment"],
  [{ preset: "contained", containment: "none" }, "exec.containment"],
  [{ networks: "none" }, "exec.networks", "network"],
  [{ network: "non" }, "exec.network", "none"],
  [{ network: "example.com" }, "exec.network"],
  [{ network: true }, "exec.network"],
  [{ network: {} }, "exec.network"],
  [{ network: [] }, "exec.network"],
  [{ network: [3] }, "exec.network[0]"],
  [{ network: [""] }, "exec.network[0]"],
  [{ network: ["none"] }, "exec.network[0]"],
  [{ network: ["full", "example.com"] }, "exec.network[0]"],
  [{ network: ["https://example.com/x"] }, "exec.network[0]", "example.com"],
  [{ network: ["example.com:443"] }, "exec.network[0]", "example.com"],
  [{ network: ["a.*.example.com"] }, "exec.network[0]", "*.example.com"],
  [{ network: ["a b"] }, "exec.network[0]"],
  [{ cache: ["~/.npm"] }, "exec.cache", "caches"],
  [{ caches: "~/.npm" }, "exec.caches"],
  [{ caches: [7] }, "exec.caches[0]"],
  [{ caches: [""] }, "exec.caches[0]"],
  [{ caches: ["/"] }, "exec.caches[0]"],
  [{ caches: ["//"] }, "exec.caches[0]"],
  [{ caches: ["~"] }, "exec.caches[0]"],
  [{ caches: ["~/"] }, "exec.caches[0]"],
  [{ caches: [".npm"] }, "exec.caches[0]", "~/.npm"],
  [{ caches: ["~ada/.npm"] }, "exec.caches[0]"],
  [{ caches: ["$HOME/.npm"] }, "exec.caches[0]"],
  [{ caches: ["~/.npm/"] }, "exec.caches[0]", "~/.npm"],
  [{ caches: ["~//.npm"] }, "exec.caches[0]", "~/.npm"],
  [{ caches: ["~/../other"] }, "exec.caches[0]"],
  [{ caches: ["~/./.npm"] }, "exec.caches[0]"],
  [{ caches: ["~/.npm/.."] }, "exec.caches[0]"],
  [{ caches: ["~/.n*"] }, "exec.caches[0]"],
  [{ caches: ["~/.n\u200bpm"] }, "exec.caches[0]"],
  [{ caches: ["~/.npm\0"] }, "exec.caches[0]"],
  [{ caches: ["~/.ssh"] }, "exec.caches[0]"],
  [{ caches: ["~/.ssh/cache"] }, "exec.caches[0]"],
  [{ caches: ["/home/ada/.ssh"] }, "exec.caches[0]"],
  [{ caches: ["/root/.aws"] }, "exec.caches[0]"],
  [{ caches: ["/home/ada"] }, "exec.caches[0]"],
  [{ caches: ["/home"] }, "exec.caches[0]"],
  [{ caches: ["~/.config"] }, "exec.caches[0]"],
  [{ caches: ["~/.config/git"] }, "exec.caches[0]"],
  [{ caches: ["~/.local/bin"] }, "exec.caches[0]"],
  [{ caches: ["~/.bashrc"] }, "exec.caches[0]"],
  [{ caches: ["~/bin"] }, "exec.caches[0]"],
  [{ caches: ["~/.cargo"] }, "exec.caches[0]"],
  [{ caches: ["~/go"] }, "exec.caches[0]"],
  [{ caches: ["~/.bun/bin"] }, "exec.caches[0]"],
  [{ caches: ["/usr/lib"] }, "exec.caches[0]"],
  [{ caches: ["/run/user/1000"] }, "exec.caches[0]"],
])("%j", ([exec, path, meant]) => {
  const found = problems(exec);
  expect(found.map((each) => each.path)).toContain(path);
  const { message, nearest = [] } = found.find((each) => each.path === path)!;
  expect(message).toMatch(/[.;]/);
  if (meant !== undefined) expect(nearest).toContain(meant);
});

test.for<unknown>([
  { preset: "contained" },
  { preset: "contained", security: "full" },
  { preset: "contained", ask: "on-miss" },
  { preset: "contained", safeBins: ["head"], trustedDirs: ["/opt/bin"] },
  { preset: "contained", allow: ["git status*"], containment: "read-only" },
  { containment: "workspace", network: "none", caches: [] },
  { containment: "none" },
  { network: ["*", "Example.com", "*.example.org", "127.0.0.1", "[::1]"] },
  {
    caches: [
      "~/.npm",
      "~/.cache/pip",
      "~/.local/share/pnpm",
      "~/.cargo/registry",
      "~/go/pkg/mod",
      "/var/cache/x",
      "/home/ada/.npm",
      "/library/x",
    ],
  },
])("%j is fine", (exec) => expect(problems(exec)).toEqual([]));

test("messages are the ones that conditions about hosts have", () => {
  const [inList] = problems({ network: ["example.com:443"] });
  const [inCondition] = problemsOf(() => policy({ deny: ["web/fetch(host:example.com:443)"] }));
  expect(inCondition!.message).toContain(inList!.message);
  expect(problems({ network: "example.com" })[0]!.message).toBe(
    'Expected one of "none", "full" or a list, got string "example.com".',
  );
});

test("whatever stands beside it that means nothing where commands are contained, or are not, is told", () => {
  expect(problems({ preset: "contained", security: "full", allow: ["git"] })).toMatchObject([
    { path: "exec.allow", message: expect.stringContaining("would mean nothing") },
  ]);
  expect(problems({ preset: "contained", security: "deny" })).toMatchObject([{ path: "exec.preset" }]);
});
