import type { EndpointFacts } from '../../../../engine/machines/http/endpoint-facts.js';
import { balancedServer, readBalancedServer } from './balanced-server.js';

export const endpointFacts: EndpointFacts = new Map([[balancedServer.name, readBalancedServer]]);
