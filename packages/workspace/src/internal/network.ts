export { addressesFor, type Lookup } from "../network/addresses-for.ts";
export { type Connect, CONNECT_MS, connectHere, notReached } from "../network/connect-here.ts";
export { exchange } from "../network/exchange.ts";
export { systemLookup } from "../network/exchange-here.ts";
export { type AddressKind, canonicalAddress, kindOfAddress } from "../network/host-address.ts";
export { type IsOpened, readOpenedPlaces, type Target } from "../network/opened-places.ts";
