import type { Simulator } from '../../../../engine/machines/simulator.js';
import { openModel } from '../../../../engine/simulator/open.js';
import { serveModel } from '../../../../engine/simulator/process.js';
import { createModelPlatform } from '../../../../engine/simulator/simulation.js';
import type { Fault } from '../../../../engine/simulator/state.js';
import { endpointFacts } from '../facts/index.js';
import { rules } from './rules.js';
import { createPostgres } from './state.js';

export const release = '15.18';

export const open: Simulator['open'] = (request) =>
  openModel(request, {
    facts: endpointFacts,
    create: ({ from }) => createModelPlatform({ state: createPostgres(request.inventory, from), rules }),
  });

export const serve: Simulator['serve'] = ({ inventory, from, faults, socket }) => {
  const state = createPostgres(inventory, from, faults as readonly Fault[]);
  return serveModel(state, socket, createModelPlatform({ state, rules }));
};
