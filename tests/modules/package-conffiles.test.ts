import { describe, expect, test } from '@jest/globals';
import type { FileState } from '../../engine/facts/file.js';
import type { Brought, Default } from '../../engine/facts/package-brought.js';
import { originals, predictPath, withSiblings } from '../../engine/modules/package/conffiles.js';
import { contentOf } from '../../engine/modules/shared/text-file.js';

const P = '/etc/c';
const at = { task: { step: 'test/play/step', on: { host: 'h' } }, timeMs: 9 };
const hash = (text: string): string => contentOf(Buffer.from(text)).sha256;
const ROOT = { owner: 'root', group: 'root', mode: '0640' };

interface Row {
  readonly was?: string;
  readonly next?: string;
  readonly disk?: string;
  readonly config?: Default['config'];
  readonly scripts?: Brought['scripts'];
  readonly conffiles?: 'keep' | 'new';
}

/** What a path comes to, as `PATH suffix = TEXT owner`; `?` is what is not known. */
function fate(manager: 'dpkg' | 'rpm', row: Row): readonly string[] | undefined {
  const { was, next, disk, config = 'kept', scripts = { is: 'nothing' as const } } = row;
  const state: FileState =
    disk === undefined
      ? { exists: false }
      : {
          exists: true,
          type: 'file',
          owner: 'op',
          group: 'op',
          mode: '0600',
          sizeBytes: 1,
          sha256: hash(disk),
          changedAtMs: 1,
        };
  const brought: Brought = {
    next:
      next === undefined
        ? null
        : {
            sha256: hash(next),
            content: contentOf(Buffer.from(next)),
            sizeBytes: 1,
            config,
            ...(manager === 'rpm' ? { as: ROOT } : {}),
          },
    was: was === undefined ? 'nothing' : 'config',
    untouched: was !== undefined && disk === was,
    sameDefault: was !== undefined && was === next,
    found: disk === undefined ? null : hash(disk),
    scripts,
  };
  const told = predictPath({ manager, conffiles: row.conffiles ?? 'keep', path: P, brought, state }, at);
  return told?.map((p) => {
    const where = `${p.ref.fact}${p.ref.key.slice(P.length)}`;
    if ('unknown' in p) return `${where} ?`;
    const value = p.value as { text?: string; owner?: string; exists?: boolean } | null;
    return `${where} ${value === null || value.exists === false ? 'gone' : (value.text ?? value.owner ?? '')}`;
  });
}

describe('what dpkg makes of a configuration file (tried with dpkg 1.21)', () => {
  test.each<[string, Row, readonly string[] | undefined]>([
    [
      'unchanged by the operator: replaced, with its owner and mode',
      { was: 'A', next: 'B', disk: 'A' },
      ['file op', 'content B'],
    ],
    [
      'changed: it stays, and the new default goes beside it',
      { was: 'A', next: 'B', disk: 'M' },
      ['file.dpkg-dist op', 'content.dpkg-dist B'],
    ],
    ['changed, and the default stays: nothing', { was: 'A', next: 'A', disk: 'M' }, []],
    ['it holds the new default already: nothing', { was: 'A', next: 'B', disk: 'B' }, []],
    [
      'taken away: it stays away, and a new default goes beside',
      { was: 'A', next: 'B' },
      ['file.dpkg-dist ?', 'content.dpkg-dist B'],
    ],
    ['taken away, and the default stays: nothing', { was: 'A', next: 'A' }, []],
    ['no longer the package’s: it stays', { was: 'A', disk: 'A' }, []],
    ['new, and a file is there: that stays', { next: 'B', disk: 'M' }, ['file.dpkg-dist op', 'content.dpkg-dist B']],
    ['new, and nothing is there', { next: 'B' }, ['file ?', 'content B']],
    ['no configuration file: replaced', { next: 'B', disk: 'M', config: 'no' }, ['file ?', 'content B']],
    [
      'a script gives it an owner',
      { was: 'A', next: 'B', disk: 'M', scripts: { is: 'attributes' } },
      ['file.dpkg-dist ?', 'content.dpkg-dist B', 'file ?'],
    ],
    [
      'a script gives it the owner that it has',
      { was: 'A', next: 'B', disk: 'M', scripts: { is: 'owner', owner: 'op' } },
      ['file.dpkg-dist op', 'content.dpkg-dist B'],
    ],
    [
      'the package’s is wanted in the place of a changed one',
      { was: 'A', next: 'B', disk: 'M', conffiles: 'new' },
      undefined,
    ],
  ])('%s', (_, row, expected) => expect(fate('dpkg', row)).toEqual(expected));
});

describe('what RPM makes of one (tried with rpm 4.18)', () => {
  test.each<[string, Row, readonly string[] | undefined]>([
    [
      'unchanged by the operator: replaced, with the package’s owner',
      { was: 'A', next: 'B', disk: 'A' },
      ['file root', 'content B'],
    ],
    ['changed, noreplace: it stays', { was: 'A', next: 'B', disk: 'M' }, ['file.rpmnew root', 'content.rpmnew B']],
    [
      'changed, replaced: it is put aside',
      { was: 'A', next: 'B', disk: 'M', config: 'replaced' },
      ['file root', 'content B', 'file.rpmsave op', 'content.rpmsave ?'],
    ],
    ['changed, and the default stays: nothing', { was: 'A', next: 'A', disk: 'M', config: 'replaced' }, []],
    ['it holds the new default: the package’s owner alone', { was: 'A', next: 'B', disk: 'B' }, ['file root']],
    ['taken away: it comes back', { was: 'A', next: 'A' }, ['file root', 'content A']],
    [
      'no longer the package’s, and changed: put aside',
      { was: 'A', disk: 'M' },
      ['file gone', 'content gone', 'file.rpmsave op', 'content.rpmsave ?'],
    ],
    ['no longer the package’s: gone', { was: 'A', disk: 'A' }, ['file gone', 'content gone']],
    [
      'new, and a file is there, which is replaced',
      { next: 'B', disk: 'M', config: 'replaced' },
      ['file root', 'content B', 'file.rpmorig op', 'content.rpmorig ?'],
    ],
    [
      'configuration no more, and a changed file: put aside',
      { was: 'A', next: 'B', disk: 'M', config: 'no' },
      ['file root', 'content B', 'file.rpmsave op', 'content.rpmsave ?'],
    ],
    [
      'configuration no more, with the same text: not tried',
      { was: 'A', next: 'A', disk: 'M', config: 'no' },
      undefined,
    ],
  ])('%s', (_, row, expected) => expect(fate('rpm', row)).toEqual(expected));
});

test('a file that was altered since it was looked at, or that is none, is not judged', () => {
  const brought: Brought = {
    next: null,
    was: 'nothing',
    untouched: false,
    sameDefault: false,
    found: hash('x'),
    scripts: { is: 'nothing' },
  };
  const link: FileState = {
    exists: true,
    type: 'link',
    owner: 'r',
    group: 'r',
    mode: '0777',
    sizeBytes: 1,
    target: 'x',
    changedAtMs: 1,
  };
  for (const state of [{ exists: false } as const, link])
    expect(predictPath({ manager: 'dpkg', conffiles: 'keep', path: P, brought, state }, at)).toBeUndefined();
});

test('what lies beside a file goes with it, also where a playbook names it by itself', () => {
  expect(originals(['/a', '/a.dpkg-dist', '/b.rpmnew'])).toEqual(['/a', '/b.rpmnew']);
  expect(withSiblings(['/a'])).toEqual(['/a', '/a.dpkg-dist', '/a.rpmnew', '/a.dpkg-old', '/a.rpmsave', '/a.rpmorig']);
});
