import { expect, test } from '@jest/globals';
import { createSecrets } from '../../engine/machines/secrets.js';
import { isWithheld } from '../../engine/terms/secret.js';
import { mask, unmask } from '../../engine/zones/masking.js';

const VALUE = "it's: s3cr3t";
async function known() {
  const secrets = createSecrets({
    sources: { db: { env: 'DB' } },
    env: { DB: VALUE },
    ask: () => Promise.resolve(undefined),
  });
  await secrets.value('db');
  return secrets;
}

test('a value comes back where it stood', async () => {
  const secrets = await known();
  const masked = mask({ text: `password=${VALUE}\n` }, secrets);
  expect(masked.text).not.toContain(VALUE);
  expect(unmask(masked, secrets)).toEqual({ text: `password=${VALUE}\n` });
});

test('in another form it is not put back, least of all as the plain value: nothing is written with it', async () => {
  const secrets = await known();
  const masked = mask(`password: '${VALUE.replaceAll("'", "''")}'\n`, secrets);
  expect(masked).not.toContain('s3cr3t');
  const back = unmask(masked, secrets);
  expect([back.includes(VALUE), isWithheld(back)]).toEqual([false, true]);
});
