import type { EndpointFact, EndpointFacts } from '../../../machines/http/endpoint-facts.js';
import { agents, upgrades, type AgentsQuestion, type UpgradesQuestion } from './agents.js';
import { readAgents } from './agent-pages.js';
import { readUpgrades } from './agent-upgrades.js';

/** What the management API is asked for in several requests. */
export const endpointFacts: EndpointFacts = new Map<string, EndpointFact>([
  [
    agents.name,
    (exchange, { question, ...asked }) =>
      readAgents(exchange, { ...asked, question: question as unknown as AgentsQuestion }),
  ],
  [
    upgrades.name,
    (exchange, { question, ...asked }) =>
      readUpgrades(exchange, { ...asked, question: question as unknown as UpgradesQuestion }),
  ],
]);
