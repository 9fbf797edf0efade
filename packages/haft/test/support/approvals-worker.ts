import { createInterface } from "node:readline";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { aGrant, aRequest } from "../../../core/test/support/approval-samples.ts";
import { folderApprovals } from "../../src/approvals/folder-approvals.ts";

keepCompiled();
// One line in, one line out; an answer to a request is one more line when it comes.
const store = folderApprovals(process.argv[2]!);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value ?? null)}\n`);

const commands: Record<string, (...args: never[]) => Promise<unknown>> = {
  async ask(id: string) {
    await store.addRequest(aRequest(id));
    void store.answered(id, new AbortController().signal).then((answer) => say({ heard: id, answer }));
  },
  answer: async (id: string, decision: "allow-once") => {
    await store.answer(id, { decision });
    return { answered: await store.wasHeard(id, 5_000) };
  },
  tryAnswer: (id: string) =>
    store.answer(id, { decision: "allow-once", by: String(process.pid) }).then(
      () => true,
      () => false,
    ),
  requests: async () => (await store.requests()).map(({ approvalId }) => approvalId),
  addGrant: (id: string) => store.addGrant(aGrant(id)),
  grants: () => store.allGrants(),
  use: async (id: string, times: number) => {
    for (let count = 0; count < times; count++) await store.useGrant(id);
  },
  withdraw: (id: string) => store.removeRequest(id),
  revoke: (id: string) => store.revoke(id),
  close: () => store.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line) as [string, ...never[]];
  say(await commands[name]!(...args).catch((thrown: unknown) => ({ thrown: String(thrown) })));
}
