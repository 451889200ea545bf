/**
 * Goal: which sessions may reach private networks follows from the key and from who reaches the
 * service. Method: a real gateway; what a creation contains is seen by the played actor.
 */
import t from 'tap'
import type { SessionOptions } from '../../../../proto/session/session.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'
import { restClient } from '../../../helpers/service/service.ts'

const plain = keyOf('plain')
const trusted = keyOf('trusted', { allowPrivate: true })
const reached: readonly Readonly<Record<string, string>>[] = [
  { PUBLIC_URL: 'https://browsers.example' },
  { DATA_HOST: '192.0.2.7' },
]

async function play(env: Readonly<Record<string, string>>) {
  const made: { readonly id: string; readonly options: SessionOptions }[] = []
  const service = await playService({
    keys: [plain.record, trusted.record],
    env: { ALLOW_DEV_KEY: '1', DEV_KEY: devKey, ...env },
    create: async (input) => {
      made.push(input as (typeof made)[number])
      return { view: { ...playedView(input.id) } }
    },
  })
  /** What a session of that key may: undefined if the creation leaves it to the browser's host. */
  const allowed = async (key: string, network?: object) => {
    const body = network && { session: { network } }
    const { status } = await restClient(service.gateway.url, key)('POST', '/v1/sessions', body)
    return status === 200 ? made.at(-1)!.options.network?.allowPrivate : status
  }
  return { allowed, close: () => service.close() }
}

t.test(
  'on a service that its own machine alone reaches, keys that may do so by default',
  async (t) => {
    const { allowed, close } = await play({})
    t.teardown(close)
    for (const key of [devKey, trusted.text]) {
      t.equal(await allowed(key), true)
      t.equal(await allowed(key, { allow: ['example.com'] }), true, 'beside other rules')
      t.equal(await allowed(key, { allow_private: false }), false, 'unless they give it up')
    }
    t.equal(await allowed(plain.text), undefined)
    t.equal(await allowed(plain.text, { allow_private: true }), 403)
  },
)

for (const env of reached) {
  t.test(`on one that others reach, only if they ask: ${JSON.stringify(env)}`, async (t) => {
    const { allowed, close } = await play(env)
    t.teardown(close)
    for (const key of [devKey, trusted.text]) {
      t.equal(await allowed(key), undefined)
      t.equal(await allowed(key, { allow_private: true }), true)
    }
    t.equal(await allowed(plain.text, { allow_private: true }), 403)
  })
}
