/**
 * Goal: a client that guesses keys is slowed down, by address, and a right key never. Method: a
 * played clock.
 */
import t from 'tap'
import { Authenticator } from '../../../../gateway/routing/auth/auth.ts'
import { DevKeyRule } from '../../../../gateway/routing/auth/dev-key.ts'
import { KeyValidity } from '../../../../gateway/routing/auth/key-validity.ts'
import type { HttpRequest } from '../../../../gateway/server/http.ts'
import { WrongKeys } from '../../../../gateway/routing/auth/wrong-keys.ts'
import type { ServiceError } from '../../../../proto/errors.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { keyOf, PlayedKeys } from '../../../helpers/gateway/played/keys.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { playedSecret } from '../../../helpers/gateway/played/secret.ts'
import { routingLimits } from '../../../../gateway/routing/limits.ts'

const PUBLIC_URL = 'https://browsers.example'
const timeline = new Timeline()
const { clock } = new SimProcess(timeline, 'gateway')
const good = keyOf('acme')
const keys = new PlayedKeys([good.record])
const auth = new Authenticator({
  keys,
  clock,
  keyValidity: new KeyValidity(keys, clock, playedSecret('of the service')),
  sessionTokens: { read: () => undefined },
  keyUses: { note: () => undefined },
  serviceSecret: playedSecret('of the service'),
  devKeyRule: new DevKeyRule(loadConfig({ DEV_KEY: devKey, DATA_DIR: '/nowhere', PUBLIC_URL }), {
    allows: () => false,
  }),
  wrongKeys: new WrongKeys(clock, { PUBLIC_URL }),
})

/** The answer to a request with that key, through a proxy. */
function knock(key: string, address = '198.51.100.7'): string {
  const headers = new Map([
    ['service-api-key', key],
    ['x-forwarded-for', `203.0.113.9, ${address}`],
  ])
  const request = { headers, remoteAddress: '127.0.0.1', query: new URLSearchParams() }
  try {
    return auth.byHeader(request as unknown as HttpRequest, { scope: 'any', sessionId: undefined })
      .tenant
  } catch (error) {
    return (error as ServiceError).type
  }
}

t.test('after a number of wrong keys further ones are rate limited for a while', async (t) => {
  for (let n = 0; n < routingLimits.wrongKeysPerMinute; n++)
    t.equal(knock('nonsense'), 'unauthorized')
  for (const key of ['nonsense', keyOf('acme').text, 'tst_cdp.dev.session.x']) {
    t.equal(knock(key), 'rate_limited', key)
  }
  t.equal(knock(good.text), 'acme', 'a right one is taken')
  t.equal(knock('nonsense', '198.51.100.8'), 'unauthorized', 'another address has done nothing')
  await timeline.run(60_000 / routingLimits.wrongKeysPerMinute)
  t.equal(knock('nonsense'), 'unauthorized')
  t.equal(knock('nonsense'), 'rate_limited')
})
