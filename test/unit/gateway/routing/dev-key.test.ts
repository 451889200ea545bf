/**
 * Goal: a development key belongs to one machine, and is shown only where it works. The rules by
 * which a gateway accepts it are tested in ../server/http and in test/attack.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { DevKeyRule } from '../../../../gateway/routing/auth/dev-key.ts'
import { OriginGuard } from '../../../../gateway/routing/auth/origin.ts'
import { devKey } from '../../../../proto/accounts/dev-key.ts'
import { TerminalScreen } from '../../../../runtime/cli/terminal/screen.ts'
import { welcomeLines } from '../../../../runtime/cli/start/welcome.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { devKeys } from '../../../../runtime/accounts/keys/client-key.ts'
import { ensureDevKey } from '../../../../runtime/accounts/keys/dev-key.ts'
import { playService, type PlayedOptions } from '../../../helpers/gateway/gateway.ts'
import { runTroupe } from '../../../helpers/service/run-troupe.ts'

const publicUrl = { PUBLIC_URL: 'https://browsers.example' }

const welcomeWith = (env: Record<string, string>) => {
  const config = loadConfig(env)
  return welcomeLines(new TerminalScreen(), {
    config,
    base: 'http://127.0.0.1:1',
    logPath: undefined,
  }).join('\n')
}

t.test('the first start makes one, readable by its owner alone, and keeps it', async (t) => {
  const DATA_DIR = join(t.testdir(), 'data')
  t.same(devKeys(loadConfig({ DATA_DIR })), [])
  ensureDevKey({ DATA_DIR })
  const [key = ''] = devKeys(loadConfig({ DATA_DIR }))
  t.match(key, /^dev_[\w-]{32}$/)
  const file = join(DATA_DIR, 'dev.key')
  t.equal(statSync(file).mode & 0o777, 0o600)
  ensureDevKey({ DATA_DIR })
  t.equal(readFileSync(file, 'utf8').trim(), key)
  t.same(devKeys(loadConfig({ DATA_DIR, DEV_KEY: devKey })), [devKey, key], 'both work then')
  t.match(await runTroupe(['keys', 'dev'], { DATA_DIR }), { code: 0, stdout: `${key}\n` })
})

t.test('`troupe up` prints the development key only where it works', async (t) => {
  const DATA_DIR = t.testdir()
  ensureDevKey({ DATA_DIR })
  const [own = ''] = devKeys(loadConfig({ DATA_DIR }))
  t.match(welcomeWith({ DATA_DIR }), own)
  t.match(welcomeWith({ DATA_DIR, DEV_KEY: devKey }), devKey)
  t.match(welcomeWith({ DATA_DIR, ...publicUrl, ALLOW_DEV_KEY: '1' }), own)
  for (const env of [publicUrl, { HOST: '0.0.0.0' }]) {
    t.notMatch(welcomeWith({ DATA_DIR, ...env }), own)
    t.match(welcomeWith({ DATA_DIR, ...env }), 'npm run troupe -- keys create')
    const { code, stderr } = await runTroupe(['keys', 'dev'], { DATA_DIR, ...env })
    t.equal(code, 1)
    t.match(stderr, /it is refused here: .* `npm run troupe -- keys create`/)
  }
})

t.test('without a development key none is printed', async (t) => {
  const DATA_DIR = t.testdir()
  t.match(welcomeWith({ DATA_DIR }), 'npm run troupe -- keys create')
  const run = await runTroupe(['keys', 'dev'], { DATA_DIR })
  t.match(run, {
    code: 1,
    stderr: /has no development key that this user can read: the first `npm run troupe -- up`/,
  })
})

t.test('pages of other sites cannot use the well-known key, but one from a file', async (t) => {
  const DATA_DIR = t.testdir()
  ensureDevKey({ DATA_DIR })
  const config = loadConfig({ DATA_DIR, DEV_KEY: devKey })
  const [, own = ''] = devKeys(config)
  const allowedOrigins = ['http://app.localhost:3000']
  const origins = new OriginGuard({ host: '127.0.0.1', publicUrl: '', allowedOrigins })
  const rule = new DevKeyRule(config, origins)
  const refusal = (key: string, headers: Record<string, string>) =>
    rule.refusalOf(key, {
      headers: new Map(Object.entries({ host: 'localhost:8080', ...headers })),
    })
  const others: readonly Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'none' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: 'chrome-extension://abc', 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of others) {
    t.equal(
      refusal(devKey, headers),
      'this request comes from a page of another site',
      JSON.stringify(headers),
    )
    t.equal(refusal(own, headers), undefined, 'no page can know that one')
  }
  const ours: readonly Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'null', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://app.localhost:3000', 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of ours) t.equal(refusal(devKey, headers), undefined, JSON.stringify(headers))
})

t.test('who has no key is told of the one that this caller may use', async (t) => {
  const said = async (options: PlayedOptions, headers: Record<string, string> = {}) => {
    const service = await playService(options)
    t.teardown(() => service.close())
    const answer = await fetch(`${service.gateway.url}/v1/sessions`, { headers })
    t.equal(answer.status, 401)
    const { error } = (await answer.json()) as { error: { message: string } }
    return error.message
  }
  const DATA_DIR = t.testdir()
  ensureDevKey({ DATA_DIR })
  t.match(await said({}), /Authorization: Bearer KEY; on this machine dev-local-key is accepted\.$/)
  t.match(await said({ env: { DEV_KEY: '', DATA_DIR } }), /npm run troupe -- keys dev\.$/)
  const create = /create one with: npm run troupe -- keys create\.$/
  t.match(await said({ env: { DEV_KEY: '' } }), create)
  for (const env of [{}, { DEV_KEY: '', DATA_DIR }]) {
    t.match(await said({ env: { ...env, PUBLIC_URL: 'https://browsers.example' } }), create)
    t.match(await said({ env: { ...env, HOST: '0.0.0.0' } }), create)
    t.match(await said({ env }, { 'x-forwarded-for': '192.0.2.7' }), create)
  }
  const ofOtherSite = { 'sec-fetch-site': 'cross-site' }
  t.notMatch(await said({}, ofOtherSite), 'dev-local-key')
})
