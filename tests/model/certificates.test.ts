import { describe, expect, test } from '@jest/globals';
import { certificate, publicKey, type CertificateFile, type KeyState } from '../../engine/facts/certificate.js';
import { readable } from '../../engine/facts/readable.js';
import { need } from '../../engine/terms/fact.js';
import { platform } from './platform.js';

const on = { host: 'dashboard-1' };
const dir = '/etc/platform-dashboard/certs';

describe('certificates of the model', () => {
  test("each pair belongs together, is valid by the model's clock, and is its service's own", async () => {
    const p = platform();
    const [own] = (await p.value<CertificateFile>(need(on, certificate, `${dir}/dashboard.pem`))) ?? [];
    const key = await p.value<KeyState>(need(on, publicKey, `${dir}/dashboard-key.pem`));
    expect(key).toEqual({ is: 'key', publicSha256: own?.publicSha256 });
    expect(own?.validFromMs).toBeLessThan(p.state.nowMs);
    expect(own?.validToMs).toBeGreaterThan(p.state.nowMs);
    const may = (user: string) => p.value(need(on, readable, { user, path: `${dir}/dashboard-key.pem` }));
    expect(await may('platform-dashboard')).toBe('yes');
    expect(await may('root')).toBe('yes');
    expect(await may('nobody')).toEqual({ barred: `${dir}/dashboard-key.pem`, by: 'rights' });
  });
  test('what is not there, and what is none', async () => {
    const p = platform();
    expect(await p.value(need(on, certificate, `${dir}/nowhere.pem`))).toBeNull();
    expect(await p.value(need(on, publicKey, `${dir}/nowhere.pem`))).toEqual({ is: 'absent' });
    expect(await p.value(need(on, publicKey, `${dir}/dashboard.pem`))).toEqual({ is: 'no key' });
    expect(await p.value(need(on, certificate, p.state.names.dashboard.config))).toEqual([]);
  });
});
