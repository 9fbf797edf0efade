import { send } from "../../client/request.ts";
import { Picture } from "./picture.tsx";

/** A picture that needs the token to be fetched: its address becomes no part of the page. */
export function RemoteImage({ address, label }: { address: string; label: string }) {
  const load = async (signal: AbortSignal) => (await send(address, { signal })).blob();
  return <Picture key={address} load={load} label={label} />;
}
