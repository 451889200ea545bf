/**
 * Goal: a session id opens the steps of its tasks without a key only to the official SDK on this
 * machine.
 */
import t from 'tap'
import { KeylessWatch } from '../../../../gateway/tasks/following/keyless-watch.ts'

const from = (remoteAddress: string, headers: Readonly<Record<string, string>> = {}) => ({
  remoteAddress,
  headers: new Map(Object.entries(headers)),
})
const bySdk = { madeBySdk: true } as const
const here = from('127.0.0.1')
const there = from('192.0.2.7')
type Settings = ConstructorParameters<typeof KeylessWatch>[0]
const rule = (WS_REQUIRE_KEY: Settings['WS_REQUIRE_KEY'], PUBLIC_URL = '') =>
  new KeylessWatch({ WS_REQUIRE_KEY, PUBLIC_URL })

t.test('a session made by another client is never followed without a key', async (t) => {
  for (const setting of ['remote', 'always', 'never'] as const) {
    t.equal(rule(setting).admits(here, {}), false, setting)
  }
})

t.test('one of the SDK is, from this machine, in any spelling of its address', async (t) => {
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) {
    t.equal(rule('remote').admits(from(address), bySdk), true, address)
  }
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '']) {
    t.equal(rule('remote').admits(from(address), bySdk), false, address)
  }
})

t.test('a request through a local proxy does not count as local', async (t) => {
  const forwarded = from('127.0.0.1', { 'x-forwarded-for': '192.0.2.7' })
  t.equal(rule('remote').admits(forwarded, bySdk), false)
  t.equal(rule('remote', 'https://troupe.example').admits(here, bySdk), false)
})

t.test('the operator can switch it on or off', async (t) => {
  t.equal(rule('always').admits(here, bySdk), false)
  t.equal(rule('never').admits(there, bySdk), true)
})
