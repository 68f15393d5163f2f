import type { Scenario } from '../scenario.js';
import { connector, dashboardPaths, rulesetLists } from './connector.js';
import { diagnose } from './diagnose.js';
import { baseline, doctor } from './doctor.js';
import { indexer, indexerReturns } from './indexer.js';
import { indexerAgain } from './indexer-again.js';
import { agents, dashboard, savedObjects, small, verify, verifyMore } from './others.js';
import { installers } from './installers.js';
import { keptStopped } from './kept-stopped.js';
import { mergedKeys } from './merged-keys.js';
import { oneLeft } from './one-left.js';
import { plugins } from './plugins.js';
import { prepare } from './prepare.js';
import { answers } from './questions.js';
import { refusals } from './refusals.js';
import { preparedBackups, preparedChecks, preparedPackages, preparedShippers } from './prepare-more.js';
import { requirements } from './requirements.js';
import { rollback } from './rollback.js';
import { rollbackMore } from './rollback-more.js';
import { safePoints } from './safe-points.js';
import { securityConfiguration } from './security.js';
import { server } from './server.js';
import { serverAgain } from './server-again.js';
import { starts } from './starts.js';
import { offlineUpgrade, upgrade } from './upgrade.js';

export const scenarios: readonly Scenario[] = [
  ...[
    prepare,
    preparedPackages,
    preparedBackups,
    preparedChecks,
    preparedShippers,
    refusals,
    answers,
    starts,
    plugins,
    requirements,
    oneLeft,
    indexer,
    indexerReturns,
    indexerAgain,
    securityConfiguration,
    server,
    serverAgain,
    connector,
    rulesetLists,
    dashboardPaths,
    dashboard,
    mergedKeys,
    savedObjects,
    agents,
    verify,
    verifyMore,
    small,
    rollback,
    rollbackMore,
    safePoints,
    diagnose,
    doctor,
    baseline,
    keptStopped,
    installers,
    upgrade,
    offlineUpgrade,
  ].flat(),
];
