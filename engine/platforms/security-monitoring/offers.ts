import type { PlatformOffers } from '../../terms/platform-offers.js';

/** Apart from the code itself, which `validate` would load for these names alone. */
export const offers: PlatformOffers = { tokenSignIn: true, endpointFacts: ['agents', 'upgrades'] };
