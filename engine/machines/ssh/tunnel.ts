import type { Duplex } from 'node:stream';
import type { Reached } from '../machine.js';

/** Reaches an address from one of the inventory's hosts (`via`): a byte stream through its ssh connection. */
export interface Tunnel {
  /** `host` is an inventory host's name; address and port are as that host sees them. Never rejects. */
  connect(host: string, address: string, port: number): Promise<Reached<Duplex>>;
}
