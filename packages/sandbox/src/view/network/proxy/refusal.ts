import { type Target, formatTarget } from "./target.ts";

export interface ProxyRefusal extends Target {
  /** `unlisted`: host not approved. `port`: port not approved. `private`: local address, not approved. `host`: this machine. */
  why: "unlisted" | "port" | "private" | "host";
  address?: string;
  message: string;
}

/** Returns the end of a sentence. */
export type Offer = (hosts: readonly string[]) => string;

export const offerToAsk: Offer = (hosts) =>
  `call exec again with network: ${JSON.stringify(hosts)}; a person decides`;

export function refusal(refused: Omit<ProxyRefusal, "message">, offer: Offer): ProxyRefusal {
  return { ...refused, message: messageOf(refused, offer) };
}

function messageOf({ host, port, why, address }: Omit<ProxyRefusal, "message">, offer: Offer): string {
  const name = formatTarget({ host, port });
  switch (why) {
    case "unlisted":
      return `${name} is not on the list of this session's network: ${offer([name])}.`;
    case "port":
      return `${host} is on the list of this session's network, but its port ${port} is not: ${offer([name])}.`;
    case "private":
      return `${name} resolves to ${address}, a local address that is not itself on the list of this session's network: ${offer([...new Set([name, formatTarget({ host: address!, port })])])}.`;
    case "host":
      return `${name}${address === undefined || address === host ? "" : `, which resolves to ${address},`} is the machine that commands of this session must not reach, with any list. Servers inside are reachable at localhost without a proxy.`;
  }
}
