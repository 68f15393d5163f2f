/** A systemd unit. */
export interface ServiceState {
  readonly load: 'loaded' | 'not-found' | 'masked' | 'error' | 'bad-setting';
  /** ActiveState: active, inactive, failed, activating, deactivating, reloading. */
  readonly active: string;
  readonly sub: string;
  /** UnitFileState: enabled, disabled, static, indirect, generated … or empty. */
  readonly enabled: string;
  /** Processes left in the unit's control group. */
  readonly processes: number;
  /** When it last became active, milliseconds since the epoch; null when it is not active. */
  readonly startedAtMs: number | null;
  /** The unit file changed on disk: a daemon-reload is due. */
  readonly needsReload: boolean;
}
export const service = { name: 'service', key: (unit: string) => unit, __v: undefined as unknown as ServiceState };
