import { offers as shipped } from '../platforms/security-monitoring/offers.js';
import type { PlatformOffers } from '../terms/platform-offers.js';

/** Of the platform in use. Apart from `platforms.ts`, so that reading files loads no code of modules. */
export let offers: PlatformOffers = shipped;

export const useOffers = (own: PlatformOffers): void => {
  offers = own;
};
