/** What a host keeps of its sessions, wherever that is. */
export interface StateStore {
  /** Ends it in order. What is used afterwards throws `STORE_CLOSED`. */
  close(): Promise<void>;
}
