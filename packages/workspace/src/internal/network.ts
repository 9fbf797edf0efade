export { addressesFor, type Lookup, systemLookup } from "../network/addresses-for.ts";
export { type Connect, CONNECT_MS, connectHere, notReached } from "../network/connect-here.ts";
export { type AddressKind, canonicalAddress, kindOfAddress } from "../network/host-address.ts";
export { exchange } from "../network/lazy-exchange.ts";
export { type IsOpened, readOpenedPlaces, type Target } from "../network/opened-places.ts";
