import { DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { StoreUnavailable } from '../run-store.js';
import type { Link } from './link.js';
import type { NatsSettings } from './options.js';

/** The two streams of a store. */
export interface Streams {
  /** A subject for each run and for each plan that was approved, a message for each line. */
  readonly runs: string;
  /** A subject for each file, each part of a large one and each lock, of which the last message counts. */
  readonly files: string;
}

export const streamsOf = (store: string): Streams => ({ runs: `${store}-runs`, files: `${store}-files` });

type Settings = Pick<StreamConfig, 'name' | 'subjects'> & Partial<StreamConfig>;

/** What the store depends on: a stream with other settings could lose lines without an error. */
const KEPT = {
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.New,
  max_age: 0,
  max_msgs: -1,
  deny_delete: true,
  deny_purge: true,
  // Any replica answers a direct request, also one that is behind.
  allow_direct: false,
} as const;

const settingsOf = (store: string): readonly Settings[] => {
  const { runs, files } = streamsOf(store);
  return [
    { ...KEPT, name: runs, subjects: [`${store}.run.*`, `${store}.approval.*`], max_msgs_per_subject: -1 },
    {
      ...KEPT,
      name: files,
      subjects: [`${store}.blob.*.*`, `${store}.chunk.*.*.*`, `${store}.lock.*`],
      max_msgs_per_subject: 1,
    },
  ];
};

/** Checks the streams of a store, and makes them where they are missing and settings are given. Throws StoreUnavailable. */
export async function ensureStreams(link: Link, store: string, create: NatsSettings | undefined): Promise<void> {
  for (const settings of settingsOf(store)) {
    const found = (await find(link, settings.name)) ?? (await make(link, settings, create));
    const wrong = Object.entries(settings).find(
      ([name, value]) => JSON.stringify(found[name as keyof StreamConfig] ?? false) !== JSON.stringify(value),
    );
    if (wrong !== undefined)
      throw unusable(link, 'damaged', settings.name, `its setting ${wrong[0]} is not ${JSON.stringify(wrong[1])}`);
  }
}

const find = ({ manager, persist }: Link, name: string): Promise<StreamConfig | undefined> =>
  persist(`open stream ${name}`, async () => {
    try {
      return (await manager.streams.info(name)).config;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === NOT_FOUND) return undefined;
      throw error;
    }
  });

const NOT_FOUND = 10059;

async function make(link: Link, settings: Settings, create: NatsSettings | undefined): Promise<StreamConfig> {
  if (create === undefined) throw unusable(link, 'missing', settings.name, 'there is no such stream');
  const limits = { num_replicas: create.replicas, max_bytes: create.maxBytes ?? -1, storage: StorageType.File };
  const made = await link.persist(`create stream ${settings.name}`, () =>
    link.manager.streams.add({ ...settings, ...limits }),
  );
  return made.config;
}

const unusable = (link: Link, code: 'missing' | 'damaged', stream: string, answer: string): StoreUnavailable =>
  new StoreUnavailable(code, link.named(`open stream ${stream}`), answer, 0);

/** How full a stream is, and where its copies are. */
export interface StreamHealth {
  readonly name: string;
  readonly bytes: number;
  /** Absent: as much as the account may have. */
  readonly maxBytes?: number;
  readonly replicas: number;
  /** Servers whose copy is not up to date. */
  readonly behind: readonly string[];
}

export function streamsHealth(link: Link, store: string): Promise<readonly StreamHealth[]> {
  const { runs, files } = streamsOf(store);
  const healthOf = async (name: string): Promise<StreamHealth> => {
    const { config, state, cluster } = await link.persist(`open stream ${name}`, () => link.manager.streams.info(name));
    const behind = (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline);
    return {
      name,
      bytes: state.bytes,
      ...(config.max_bytes > 0 ? { maxBytes: config.max_bytes } : {}),
      replicas: config.num_replicas,
      behind: behind.map((server) => server.name),
    };
  };
  return Promise.all([runs, files].map(healthOf));
}
