import type { DownloadState } from '../../../../facts/http.js';
import { DESCRIPTORS } from '../plugins/descriptor.js';
import type { Args } from './schema.js';

/** What a plug-in of the indexer asks for beyond what all code may do. */
export const POLICY = 'plugin-security.policy';

/** Beside an archive on the host: the plug-in's descriptor, so that nothing there must read the archive. */
export const recordOf = (archive: string): string => `${archive}.descriptor`;

/** Holds the SHA-256 of the archive that was installed last: another build may have the same version. */
export const installedRecord = (archive: string): string => `${archive}.installed`;

/** Where the archive comes from, if that is known; the vendor's own plug-ins are where the indexer's tool looks for them by name. */
export const sourceOf = ({ name, from = '', repository = '', engine = '' }: Args): string =>
  from !== '' || repository === '' ? from : `${repository}/${name}/${engine}/${name}-${engine}.zip`;

export type Fetched = Extract<DownloadState, { is: 'fetched' }>;

export type JudgedArchive =
  | { readonly is: 'wrong'; readonly reason: string }
  | { readonly is: 'plugin'; readonly descriptor: string; readonly permissions: readonly string[] };

/** Reads the archive's own descriptor. The tool would refuse a wrong archive too, but only once the service is down. */
export function judgeArchive(args: Args, { texts }: Fetched): JudgedArchive {
  const { of, name, engine = '' } = args;
  const { file, inArchive, nameIn, engineIn } = DESCRIPTORS[of];
  const wrong = (reason: string): JudgedArchive => ({ is: 'wrong', reason: `${sourceOf(args)} ${reason}` });
  if (texts === undefined) return wrong('is no zip archive');
  const [, descriptor] = Object.entries(texts).find(([path]) => inArchive.test(path)) ?? [];
  if (descriptor === undefined) return wrong(`is no plug-in of the ${of}: it has no ${file}`);
  const [named, built] = [nameIn(descriptor), engineIn(descriptor)];
  if (named !== name) return wrong(`is the plug-in ${named ?? 'of no name'}, not ${name}`);
  if (built !== engine) return wrong(`was built for the engine ${built ?? 'that it does not name'}, not for ${engine}`);
  return { is: 'plugin', descriptor, permissions: of === 'indexer' ? permissionsIn(texts[POLICY] ?? '') : [] };
}

/** As the tool itself prints them: `java.net.SocketPermission * connect,resolve`. */
const permissionsIn = (policy: string): readonly string[] =>
  [...withoutComments(policy).matchAll(/\bpermission\s+((?:"(?:[^"\\]|\\.)*"|[^";])+);/g)].map(([, one = '']) =>
    one
      .replaceAll(/"\s*,\s*"/g, ' ')
      .replaceAll('"', '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

/** What looks like a comment inside a quoted name is none: `"https://host/x"`, `"/var/*"`. */
const withoutComments = (policy: string): string =>
  policy.replaceAll(/"(?:[^"\\]|\\.)*"|\/\/.*$|\/\*[^]*?\*\//gm, (found) => (found.startsWith('"') ? found : ' '));

/** `1.0.0 (for 2.19.4)` */
export function builtText(of: Args['of'], descriptor: string): string {
  const { versionIn, engineIn } = DESCRIPTORS[of];
  return `${versionIn(descriptor) ?? 'of no version'} (for ${engineIn(descriptor) ?? 'no engine that it names'})`;
}
