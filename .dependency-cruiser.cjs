// The rooms and who may import whom: docs/architecture.md has the table in words. `npm run check` fails on any other arrow.
const rooms = {
  lib: [],
  terms: ['lib'],
  expressions: ['terms', 'lib'],
  language: ['terms', 'expressions', 'lib'],
  facts: ['terms', 'lib'],
  modules: ['terms', 'facts', 'lib'],
  machines: ['terms', 'facts', 'lib'],
  journal: ['terms', 'lib'],
  run: ['terms', 'expressions', 'language', 'facts', 'modules', 'journal', 'lib'],
  report: ['terms', 'journal', 'lib'],
  model: ['terms', 'lib'],
  ansible: ['terms', 'lib'],
  init: ['terms', 'ansible', 'lib'],
};
const exceptions = { machines: '^engine/machines/model' };

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^engine' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...Object.entries(rooms).map(([room, may]) => ({
      name: `${room}-imports-only-its-own`,
      severity: 'error',
      from: { path: `^engine/${room}/`, ...(exceptions[room] ? { pathNot: exceptions[room] } : {}) },
      to: { path: '^engine/', pathNot: [`^engine/${room}/`, ...may.map((r) => `^engine/${r}/`)] },
    })),
    {
      name: 'the-model-machine-may-see-the-model',
      severity: 'error',
      from: { path: exceptions.machines },
      to: {
        path: '^engine/',
        pathNot: ['^engine/machines/', '^engine/terms/', '^engine/facts/', '^engine/lib/', '^engine/model/'],
      },
    },
    {
      name: 'modules-read-and-do-nothing',
      severity: 'error',
      from: { path: '^engine/(modules|terms|model)/' },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|net|tls|http|https|http2|dns|dgram|child_process|process|os|worker_threads|readline)(/|$)',
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
