import type { Document } from './document.js';
import type { HostSets } from './host-sets.js';

/** What each section needs beside itself. */
export interface Words {
  readonly document: Document;
  readonly hosts: HostSets;
}
