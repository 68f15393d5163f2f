import { content, file, type FileContent, type FileState } from '../../facts/file.js';
import { archiveListing } from '../../facts/host.js';
import { download as downloadFact, type DownloadQuestion, type DownloadState } from '../../facts/http.js';
import { unifiedDiff } from '../../lib/diff.js';
import { blocked, ok, type Prediction, type Verdict } from '../../terms/change.js';
import { need, type FactRef } from '../../terms/fact.js';
import type { Json } from '../../terms/json.js';
import { defineModule, type At } from '../../terms/module.js';
import { whyNotBelieved } from './check.js';
import { maskPair } from '../shared/mask.js';
import { contentOf, ownershipOf, settleAttributes, stateAfter, whyNoText } from '../shared/text-file.js';
import type { Args } from './schema.js';

type Fetched = Extract<DownloadState, { is: 'fetched' }>;

/** A file up to this many bytes is kept when it is replaced, so that it can be put back. */
const KEPT_BYTES = 1024 * 1024;

export const download = defineModule<Args>()({
  name: 'download',
  needs: (args, { task }) => ({
    got: need({ controller: true }, downloadFact, questionOf(args)),
    state: need(task.on, file, args.path),
  }),
  touches: ({ path }, at) => touched(path, at),
  decide(args, { got, state }, at, more) {
    const { path } = args;
    if (got.is === 'failed') return notHad(args, got, state);
    const source = sourceOf(args, got);
    const wrong = whyNotBelieved(got, args);
    if (wrong !== undefined && args.optional === true) return ok(`${source}: ${wrong}`);
    if (wrong !== undefined)
      return blocked(
        `${source}: ${wrong}`,
        `check what the address answers (curl -I): a proxy or a login page may; ${path} ${state.exists ? 'is unchanged' : 'was not written'}`,
      );
    const unfit = whyNoText(path, { state, text: { text: '', encoding: 'utf8', sha256: '' } });
    if (unfit !== undefined) return unfit;
    if (state.exists && state.sha256 === got.sha256) {
      const settled = settleAttributes(
        { path, state, ownership: args, because: `${path} is the file at ${source}` },
        at,
      );
      return settled.is === 'ok' ? { ...settled, value: valueOf(got, args) } : settled;
    }
    if (state.exists && state.sizeBytes <= KEPT_BYTES && more === undefined)
      return { is: 'more', needs: { before: need(at.task.on, content, path) } };
    return replace(args, got, { state, before: (more?.['before'] ?? null) as FileContent }, at);
  },
});

type Offline = NonNullable<DownloadQuestion['offline']>;
const offlineOf = ({ from = '', file: name = '' }: Args): Offline | undefined =>
  from === '' || name === '' ? undefined : { folder: from.replace(/\/+$/, ''), file: name };

function questionOf(args: Args): DownloadQuestion {
  const { url, ca = '' } = args;
  const offline = offlineOf(args);
  return { url, ...(ca === '' ? {} : { ca }), ...(offline === undefined ? {} : { offline }) };
}

/** Its address, or where it lay on the controller. */
function sourceOf(args: Args, { path }: Fetched): string {
  const offline = offlineOf(args);
  return offline !== undefined && path === `${offline.folder}/${offline.file}` ? path : args.url;
}

function notHad(args: Args, got: Extract<DownloadState, { is: 'failed' }>, state: FileState): Verdict {
  const { path, optional } = args;
  const offline = offlineOf(args);
  if (optional === true) return ok(got.reason);
  const left = state.exists ? `${path} was left as it is` : undefined;
  const carried =
    offline === undefined ? left : `or put ${offline.file} into ${offline.folder}, and its line into SHA256SUMS`;
  return blocked(got.reason, got.hint ?? carried);
}

/** What `register` takes: the file's hash, and its JSON where it was expected to be JSON. */
const valueOf = ({ sha256, text }: Fetched, { expect }: Args): Json => ({
  sha256,
  ...(expect?.json === true && text !== undefined ? { json: JSON.parse(text) as Json } : {}),
});

const touched = (path: string, { task }: At): readonly FactRef[] => [
  need(task.on, file, path),
  need(task.on, content, path),
  need(task.on, archiveListing, path),
];

interface Now {
  readonly state: FileState;
  readonly before: FileContent;
}

function replace(args: Args, got: Fetched, { state, before }: Now, at: At): Verdict {
  const { path } = args;
  const source = sourceOf(args, got);
  const ownership = ownershipOf(args);
  const isText = got.text !== undefined && (before === null || before.encoding === 'utf8');
  const [masked, fresh] = isText && before !== null ? maskPair(before.text, got.text ?? '') : ['', ''];
  return {
    is: 'change',
    change: {
      summary: `${path} from ${source} (${got.sizeBytes} bytes)`,
      sign: state.exists ? '~' : '+',
      ...(isText && before !== null ? { diff: unifiedDiff(path, masked, fresh) } : {}),
      actions: [
        {
          do: 'upload',
          source: got.path,
          path,
          sha256: got.sha256,
          ...(state.exists ? {} : { mode: '0644' }),
          ...ownership,
        },
      ],
      touches: touched(path, at),
      predicts: predictions(args, got, state, at),
    },
  };
}

function predictions(
  { path, url, ...args }: Args,
  got: Fetched,
  state: FileState,
  { task, timeMs }: At,
): readonly Prediction[] {
  const after = stateAfter(state, ownershipOf(args), got, timeMs);
  const text = got.text === undefined ? undefined : contentOf(Buffer.from(got.text, 'utf8'));
  return [
    { ref: need(task.on, file, path), value: after },
    text?.sha256 === got.sha256
      ? { ref: need(task.on, content, path), value: text }
      : { ref: need(task.on, content, path), unknown: `what is at ${url}` },
    got.members === undefined
      ? { ref: need(task.on, archiveListing, path), unknown: `what is at ${url}` }
      : { ref: need(task.on, archiveListing, path), value: got.members },
  ];
}
