import type { CallSubjects, Decision, SessionFacts, ToolFacts } from "@haft/core";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import type { StartSubject, Suite } from "../suite.ts";

const TOOLS = 200;
const RULES = 1000;
const DECISIONS = 1000;

const facts: SessionFacts = {
  kind: "main",
  agentId: "ada",
  model: "acme/large",
  messageChannel: "chat",
  groupId: "room",
  sender: { id: "7" },
};

/** Plugins with ten tools each, and `exec`. */
function makeTools(count: number): ToolFacts[] {
  const exec: ToolFacts = {
    id: "haft-exec/exec",
    name: "exec",
    pluginId: "haft-exec",
    optional: false,
    effects: ["execute"],
    groups: ["runtime"],
    builtIn: true,
  };
  const others = Array.from({ length: count - 1 }, (_, index): ToolFacts => {
    const pluginId = `plugin-${Math.floor(index / 10)}`;
    const name = `tool_${index}`;
    const effects = index % 2 === 0 ? (["read"] as const) : (["read", "write"] as const);
    return {
      id: `${pluginId}/${name}`,
      name,
      pluginId,
      optional: false,
      effects,
      groups: ["fs"],
      builtIn: false,
    };
  });
  return [exec, ...others];
}

/** Rules in all layers on tools, plugins, groups and effects; every fifth depends on the call. */
function makeConfig(tools: readonly ToolFacts[], rules = RULES): PolicyConfig {
  const scope = (from: number) => ({
    deny: Array.from({ length: rules / 10 }, (_, index) => selector(from + index, tools)),
    ask: Array.from({ length: rules / 10 }, (_, index) => selector(from + index + rules / 10, tools)),
  });
  const share = rules / 5;
  return {
    ...scope(0),
    models: { acme: scope(share) },
    agents: { ada: scope(2 * share) },
    groups: { room: scope(3 * share) },
    senders: { "*": scope(4 * share) },
  };
}

function selector(index: number, tools: readonly ToolFacts[]): string {
  const tool = tools[1 + (index % (tools.length - 1))]!;
  switch (index % 10) {
    case 0:
      return `${tool.id}(path:generated/${index}/**)`;
    case 1:
      return `exec(program-${index} --force*)`;
    case 2:
      return `${tool.id}*(path:**/.${index})`;
    default:
      return `${tool.id}(arg:mode=${index})`;
  }
}

const paths: CallSubjects = {
  paths: [{ path: "/work/src/index.ts", relative: "src/index.ts", access: "read" }],
};
const commands: CallSubjects = {
  command: {
    text: "git status && make -j4",
    cwd: "/work",
    commands: [
      { name: "git", path: "/usr/bin/git", argv: ["git", "status"], through: [] },
      { name: "make", path: "/usr/bin/make", argv: ["make", "-j4"], through: [] },
    ],
  },
};

/** Successive tools, as in sessions. */
function decisions(config: PolicyConfig, subjects: CallSubjects | undefined, only?: string): StartSubject {
  return () => {
    const tools = makeTools(TOOLS);
    const session = createPolicy(config, { tools }).forSession(facts);
    const asked = only === undefined ? tools : tools.filter(({ name }) => name === only);
    const args = { path: "src/index.ts" };
    let effect: Decision["effect"] | undefined;
    return {
      operations: DECISIONS,
      run() {
        for (let index = 0; index < DECISIONS; index++) {
          effect = session.call(asked[index % asked.length]!, args, subjects).effect;
        }
        return effect;
      },
    };
  };
}

/** The minimum is a table look-up. */
function lookUps(): ReturnType<StartSubject> {
  const tools = makeTools(TOOLS);
  const table = new Map(tools.map(({ id }) => [id, { effect: "allow" as const }]));
  let effect: string | undefined;
  return {
    operations: DECISIONS,
    run() {
      for (let index = 0; index < DECISIONS; index++) effect = table.get(tools[index % TOOLS]!.id)?.effect;
      return effect;
    },
  };
}

/** A new kind of session compares every rule with every tool. */
function composition(count: number): StartSubject {
  return () => {
    const tools = makeTools(count);
    const config = makeConfig(tools);
    let policy = createPolicy(config, { tools });
    return {
      before() {
        policy = createPolicy(config, { tools });
      },
      runs: 5,
      operations: count,
      run() {
        const session = policy.forSession(facts);
        return tools.filter((tool) => session.visibility(tool).effect === "allow").length;
      },
    };
  };
}

const config = makeConfig(makeTools(TOOLS));
const listed: PolicyConfig = {
  exec: {
    allow: ["git status*", "make *", ...Array.from({ length: RULES }, (_, index) => `program-${index} *`)],
  },
};

export const suite: Suite = {
  name: "policy",
  title: "One decision of a policy",
  cases: [
    {
      name: "1,000 rules on whole tools",
      about: `${TOOLS} tools, rules in five layers. limit: a \`Map\` from tool to decision.`,
      subjects: { Haft: decisions(named(config), undefined), limit: lookUps },
    },
    {
      name: "1,000 rules on arguments and paths",
      about: "About five rules apply to each tool. No cache between calls.",
      subjects: { Haft: decisions(config, paths), limit: lookUps },
    },
    {
      name: "100 of 1,000 rules on one command line",
      about: "Each is compared with both commands of `git status && make -j4`.",
      subjects: { Haft: decisions(config, commands, "exec"), limit: lookUps },
    },
    {
      name: "a list of 1,000 command patterns",
      about: "`exec.allow` has both commands.",
      subjects: { Haft: decisions(listed, commands, "exec"), limit: lookUps },
    },
    ...[50, 100, 200, 400].map((count) => ({
      name: `visibility of ${count} tools in a session`,
      about: "1,000 rules. Time per tool, which should not depend on their number.",
      rounds: 10,
      subjects: { Haft: composition(count) },
    })),
  ],
};

/** The same rules without calls; patterns for approval avoid the words of a denial. */
function named({ deny = [], ask = [], ...scopes }: PolicyConfig): PolicyConfig {
  const bare = (entry: string) => entry.replace(/\(.*\)$/s, "");
  const each = Object.entries(scopes).map(([part, inner]) => {
    const rules = Object.entries(inner as Record<string, PolicyConfig>);
    return [part, Object.fromEntries(rules.map(([key, scope]) => [key, named(scope)]))] as const;
  });
  const denied = new Set(deny.map(bare));
  return {
    ...(Object.fromEntries(each) as PolicyConfig),
    deny: [...denied],
    // `tool*` would name only tools in deny.
    ask: ask.map((entry) => (denied.has(bare(entry)) ? "*" : `${bare(entry)}*`)),
  };
}
