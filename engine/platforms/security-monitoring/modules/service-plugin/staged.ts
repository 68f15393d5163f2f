import { posix } from 'node:path';
import { content, file, type FileContent, type FileState } from '../../../../facts/file.js';
import { download, type DownloadState } from '../../../../facts/http.js';
import { contentOf, stateAfter } from '../../../../modules/shared/text-file.js';
import { blocked, ok, type Verdict } from '../../../../terms/change.js';
import { need } from '../../../../terms/fact.js';
import type { At } from '../../../../terms/module.js';
import { DESCRIPTORS } from '../plugins/descriptor.js';
import { builtText, judgeArchive, POLICY, recordOf, sourceOf, type Fetched } from './archive.js';
import type { Args } from './schema.js';

export const stagedNeeds = (args: Args, { task: { on } }: At) => ({
  got: need({ controller: true }, download, { url: sourceOf(args), texts: [DESCRIPTORS[args.of].file, POLICY] }),
  state: need(on, file, args.archive ?? ''),
  record: need(on, content, recordOf(args.archive ?? '')),
});

interface Found {
  readonly got: DownloadState;
  readonly state: FileState;
  readonly record: FileContent;
}

/** The archive is on the host before anything stops, and fits. */
export function decideStaged(args: Args, { got, state, record }: Found, at: At): Verdict {
  const { of, name, archive = '', engine = '' } = args;
  if (engine === '')
    return blocked(
      `the engine's version in the target's packages is not known, for which plug-in ${name} must be built`,
      'set target_engine under vars in the inventory, such as 2.19.4: the release notes name it',
    );
  if (sourceOf(args) === '')
    return blocked(`no archive of plug-in ${name} is named`, `give it in ${of}_plugins: name: ${name}, from: ARCHIVE`);
  if (got.is === 'failed') return blocked(got.reason, got.hint ?? `name the archive of ${name} in ${of}_plugins`);
  const judged = judgeArchive(args, got);
  if (judged.is === 'wrong')
    return blocked(judged.reason, `name the archive of ${name} for ${engine} in ${of}_plugins`);
  const { descriptor, permissions } = judged;
  const warnings =
    permissions.length === 0
      ? []
      : [`plug-in ${name} is granted the permissions that it asks for: ${permissions.join('; ')}`];
  const isThere = state.exists && state.sha256 === got.sha256 && record?.text === descriptor;
  if (isThere) return ok(`${archive} is plug-in ${name} ${builtText(of, descriptor)}`, null, warnings);
  const verdict = staging(args, { got, state, record }, descriptor, at);
  return { is: 'change', change: { ...verdict, warnings } };
}

function staging(
  args: Args,
  { got, state, record }: Omit<Found, 'got'> & { readonly got: Fetched },
  descriptor: string,
  { task: { on }, timeMs }: At,
) {
  const { of, name, archive = '' } = args;
  const refs = { state: need(on, file, archive), record: need(on, content, recordOf(archive)) };
  return {
    summary: `plug-in ${name} ${builtText(of, descriptor)} from ${sourceOf(args)}`,
    sign: '+' as const,
    actions: [
      // The user of the service must read it, whoever owns the directories of the backups.
      { do: 'directory', path: posix.dirname(archive), mode: '0755' },
      { do: 'upload', source: got.path, path: archive, sha256: got.sha256, mode: '0644' },
      {
        do: 'write',
        path: recordOf(archive),
        content: descriptor,
        replaces: record?.sha256 ?? 'nothing',
        mode: '0644',
      },
    ] as const,
    touches: Object.values(refs),
    predicts: [
      {
        ref: refs.state,
        value: stateAfter(state, { mode: '0644' }, got, timeMs),
      },
      { ref: refs.record, value: contentOf(Buffer.from(descriptor)) },
    ],
  };
}
