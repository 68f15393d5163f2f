import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { usePlatform, modules } from '../../engine/cli/platforms.js';
import { checkArgs } from '../../engine/language/validate/args.js';
import { addModuleSchemas } from '../../engine/language/module-schemas.js';
import * as certificate from '../../engine/modules/certificate/schema.js';
import * as command from '../../engine/modules/command/schema.js';
import * as systemctl from '../../engine/modules/systemctl/schema.js';
import type { Json } from '../../engine/terms/json.js';

const platform = (own: object) => ({
  modules: [],
  endpointFactNames: [],
  endpointFacts: () => Promise.resolve(new Map()),
  ownPermissions: [],
  simulator: () => Promise.reject(new Error('none')),
  ...own,
});

describe('schemas of modules that the build does not know', () => {
  const wrong: readonly (readonly [keyof typeof shipped, Json])[] = [
    ['systemctl', { unti: 'nginx', state: 'runing' }],
    ['systemctl', { unit: 'nginx', state: 'started', ready: { within: '10 minutes' } }],
    ['command', { argv: [], timeout: 3, done_when: 7 }],
    ['certificate', { files: '/etc/x.pem', ca: 7 }],
  ];
  const shipped = { systemctl, command, certificate };

  test('compiled at load, they say what the compiled ones say', async () => {
    await addModuleSchemas(
      Object.fromEntries(Object.entries(shipped).map(([name, of]) => [`late-${name}`, { schema: of.schema }])),
    );
    for (const [name, args] of wrong) {
      const messages = checkArgs(name, args);
      expect(messages).not.toEqual([]);
      expect(checkArgs(`late-${name}`, args).map((one) => one.replaceAll(`late-${name}`, name))).toEqual(messages);
    }
  });

  test('a module of a name that is taken, or without a schema, is refused', async () => {
    await expect(usePlatform(platform({ modules: [{ name: 'file' }] }))).rejects.toThrow('two modules are named file');
    await expect(usePlatform(platform({ modules: [{ name: 'bare' }] }))).rejects.toThrow(
      'the module bare has no schema',
    );
    const schemas = { bad: { schema: Type.String({ pattern: '(' }) } };
    await expect(usePlatform(platform({ modules: [{ name: 'bad' }], schemas }))).rejects.toThrow(
      'the schema of the module bad does not compile',
    );
    expect(modules.has('log-shipper')).toBe(true);
  });

  test('a fact of hosts of a name that is taken is refused', async () => {
    const fact = (name: string) => ({
      name,
      key: (k: string) => k,
      sh: () => 'true',
      parse: () => ({ is: 'value', value: 1 }),
    });
    const loaded = (...names: string[]) => usePlatform(platform({ hostFacts: names.map(fact) }));
    await expect(loaded('ours', 'service')).rejects.toThrow('two facts of hosts are named service');
    await expect(loaded('ours', 'ours')).rejects.toThrow('two facts of hosts are named ours');
  });

  test('the modules of the platform in use are those that steps can name', async () => {
    const schemas = { ours: { schema: Type.Object({ unit: Type.String() }, { additionalProperties: false }) } };
    await usePlatform(platform({ modules: [{ name: 'ours' }], schemas }));
    expect([modules.has('ours'), modules.has('file'), modules.has('log-shipper')]).toEqual([true, true, false]);
    expect(checkArgs('ours', { unit: 'a' })).toEqual([]);
    expect(checkArgs('ours', {})).toEqual(['ours needs "unit"']);
    expect(checkArgs('log-shipper', {})).toEqual(['there is no module "log-shipper"']);
  });
});
