import { createInterface } from "node:readline";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { openSqliteStore } from "../../src/index.ts";
import { ALLOW, sampleRequest, SCOPE } from "../../src/testing/approvals/samples.ts";

keepCompiled();
// One line in, one line out; an answer to a request is one more line when it comes.
const { approvals } = openSqliteStore({ path: process.argv[2]! });
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value ?? null)}\n`);

const commands: Record<string, (...args: never[]) => Promise<unknown>> = {
  async ask(id: string) {
    await approvals.addRequest(sampleRequest(id));
    void approvals
      .waitForAnswer(id, new AbortController().signal)
      .then((answer) => say({ received: id, answer }));
  },
  answer: (id: string) =>
    approvals.answer(id, { ...ALLOW, by: String(process.pid) }).then(
      () => true,
      () => false,
    ),
  take: (approvalId: string) => approvals.takeAnswer!({ approvalId }),
  meet: (exactKey: string) => approvals.takeAnswer!({ ...SCOPE, exactKey }),
  async use(id: string, times: number) {
    for (let count = 0; count < times; count++) await approvals.useGrant(id);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line) as [string, ...never[]];
  say(await commands[name]!(...args).catch((thrown: unknown) => ({ thrown: String(thrown) })));
}
