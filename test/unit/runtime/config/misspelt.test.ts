// Goal: a slip in the name of a setting is found, and the names of other programs are left alone.
import t from 'tap'
import { misspeltSettings } from '../../../../runtime/config/misspelt.ts'

const slips: readonly (readonly [string, string])[] = [
  ['POOL_HEADLES', 'POOL_HEADLESS'],
  ['POOL_HEADFULL', 'POOL_HEADFUL'],
  ['POOL_HAEDLESS', 'POOL_HEADLESS'],
  ['MAX_SESSION', 'MAX_SESSIONS'],
  ['NATS_URLS', 'NATS_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['PROT', 'PORT'],
]
for (const [name, meant] of slips) {
  t.test(`${name} may be ${meant}`, async (t) => {
    t.same(misspeltSettings({ [name]: '3' }), [{ name, meant }])
  })
}

t.test('settings, unset variables and the variables of others are not reported', async (t) => {
  const others = {
    ...{ HOSTNAME: 'a', LOGNAME: 'a', NODE_ENV: 'a', NODE_PATH: 'a', PATH: 'a', POST: 'a' },
    ...{ HOSTS: 'a', ZAI_API_KEY: 'a', SVC_BASE: 'a', SVC_API_KEY: 'a', NO_COLOR: '1' },
    ...{ PORT: '1', POOL_HEADLESS: '3', POOL_HEADLES: '' },
  }
  t.same(misspeltSettings(others), [])
})
