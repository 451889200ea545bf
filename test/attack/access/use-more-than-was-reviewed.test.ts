/**
 * A member has access that was reviewed for one use, and tries it for another. Method: a real
 * service, and grants for each path with the tokens that an earlier version created for them.
 */
import t from 'tap'
import { areaKeys, areaRules } from '../../../proto/access/areas/areas.ts'
import type { AccessPath } from '../../../proto/access/engagement/scope.ts'
import type { GrantSubject } from '../../../proto/access/grants/grant.ts'
import type { GrantId } from '../../../proto/access/ids.ts'
import { dataOf, errorOf, patient } from '../../helpers/access/asking.ts'
import { contracted, grantTo, mint, newsletter } from '../../helpers/access/clients.ts'
import { openWorld } from '../../helpers/access/world.ts'
import { describedRoutes } from '../../helpers/gateway/described-routes.ts'
import { until } from '../../helpers/lib/until.ts'

const { service, ask, a, insider, deciders } = await openWorld(t)
const owner = a.owner.token
const read = ['contacts', 'opportunities', 'reports'] as const
const permissions = read.map((area) => ({ area, actions: ['read'] }) as const)

async function grantFor(path: AccessPath, subject: GrantSubject = newsletter) {
  const granted = await grantTo(insider.directory, a, deciders, { permissions, subject, path })
  const at = `/v1/grants/${granted.id}`
  await until('the gateway knows its token', async () => {
    return (await ask('GET', `${at}/tokens`, { token: owner })).text.includes(granted.tokenId)
  })
  return { ...granted, at }
}

const askForToken = (at: string) =>
  ask('POST', `${at}/tokens`, { token: owner, body: { name: 'mine' } })

for (const path of ['portal', 'reports', 'webhooks'] as const) {
  t.test(`a program uses a grant for the path ${path} with a token`, async (t) => {
    const { at, token, tokenId } = await grantFor(path)
    const says = { code: 403, type: 'forbidden', path, message: /request a grant for the path api/ }
    t.match(errorOf(await askForToken(at)), says)
    const rotate = ask('POST', `/v1/tokens/${tokenId}/rotate`, { token: owner, body: {} })
    t.match(errorOf(await rotate), says)
    for (const used of [...read.map((area) => `/v1/${area}`), '/v1/access', '/v1/areas']) {
      t.match(errorOf(await ask('GET', used, { token })), says, used)
    }
    const query = `subject=${tokenId}&area=contacts&action=read`
    const check = await ask('GET', `/v1/access/check?${query}`, { token: owner })
    t.match(dataOf(check), { allowed: false, because: /path/ }, 'and the check says the same')
    t.equal((await ask('DELETE', `/v1/tokens/${tokenId}`, { token })).status, 204)
  })
}

t.test('a program uses a grant for views on what the views are made from', async (t) => {
  const { token } = await grantFor('custom')
  t.match(dataOf(await ask('GET', '/v1/access', { token })), { path: 'custom', permissions: [] })
  for (const area of read) {
    const answer = await ask('GET', `/v1/${area}`, { token })
    t.match(errorOf(answer), { code: 403, type: 'insufficient_scope' }, area)
  }
})

t.test('a person reads reports with a grant for endpoints', async (t) => {
  const subject = { kind: 'person', id: a.member.id } as const
  const reports = () => ask('GET', '/v1/reports', { token: a.member.token })
  for (const path of ['webhooks', 'custom'] as const) {
    await grantFor(path, subject)
    t.match(errorOf(await reports()), { code: 403, type: 'insufficient_scope' }, path)
  }
  await grantFor('reports', subject)
  t.equal((await reports()).status, 200, 'with one for reports they do')
  const other = await ask('GET', '/v1/opportunities', { token: a.member.token })
  t.equal(other.status, 403, 'and nothing else')
})

t.test('with a grant for the path api, a program does all of this', async (t) => {
  const { at, token } = await grantFor('api')
  t.equal((await askForToken(at)).status, 201)
  for (const area of read) t.equal((await ask('GET', `/v1/${area}`, { token })).status, 200, area)
})

/** What a token may be limited to. */
const scopes = contracted.flatMap(({ area, actions }) =>
  actions.map((action) => `${area}:${action}`),
)
/** It takes reading as well, so a token for it alone opens nothing. */
const exporting = 'reports:export'

/** By scope: a token for it alone, and one for all the others. */
async function narrowTokens() {
  const tokens = new Map<string, { readonly only: string; readonly others: string }>()
  let grant: GrantId | undefined
  for (const [n, scope] of scopes.entries()) {
    // A grant has 50 tokens at most, the first of which it has from the start.
    if (n % 24 === 0) {
      grant = (await grantTo(insider.directory, a, deciders, { permissions: contracted })).id
    }
    const others = scopes.filter((one) => one !== scope)
    const [only, rest] = [
      await mint(insider.directory, grant!, deciders.first, { scopes: [scope] }),
      await mint(insider.directory, grant!, deciders.first, { scopes: others }),
    ]
    tokens.set(scope, { only: only.token, others: rest.token })
    if (n < scopes.length - 1) continue
    await until('the gateway knows the last token', async () => {
      const list = await ask('GET', `/v1/grants/${grant}/tokens`, { token: owner })
      return list.text.includes(rest.tokenId)
    })
  }
  return tokens
}

t.test(
  'a program calls each route of records without the scope that the route needs',
  async (t) => {
    const tokens = await narrowTokens()
    const isOf = (path: string) => (scope: string) => scope.startsWith(`${path.split('/')[2]}:`)
    const content = '/v1/reports/rpt_00000000000000000000000000/content'
    const enforced = new Set<string>()
    let open = 0
    for (const { method, path, body } of await describedRoutes(service.baseUrl)) {
      // What is incomplete is refused after the check, so that no record is made and no job starts.
      const sent = body !== undefined && !path.includes('{') ? {} : body
      const own = scopes.filter(isOf(path))
      if (own.length === 0) continue
      const at = path.replaceAll(/\{\w+\}/g, 'rec_00000000000000000000000000')
      const isRefused = async (token: string) =>
        (await patient(ask)(method, at, { token, body: sent, from: '10.4.0.1' })).status === 403
      const admitted: string[] = []
      for (const scope of own) {
        if (scope !== exporting && !(await isRefused(tokens.get(scope)!.only))) admitted.push(scope)
      }
      // Reports are made, and checkers are switched, by people.
      const isForPeople = /^.v1.reports/.test(path) ? method !== 'GET' : path.endsWith('/check')
      t.equal(admitted.length, isForPeople ? 0 : 1, `${method} ${path}: ${admitted.join()}`)
      if (admitted.length !== 1) continue
      open++
      t.ok(
        await isRefused(tokens.get(admitted[0]!)!.others),
        `${method} ${path} needs ${admitted[0]}`,
      )
      if (method === 'GET') t.match(admitted[0], /:read$/, path)
      enforced.add(admitted[0]!)
    }
    t.ok(open > 80, `${open} routes of records`)
    for (const accept of ['text/csv', 'application/pdf']) {
      const as = (token: string) =>
        patient(ask)('GET', content, { token, from: '10.4.0.1', headers: { accept } })
      const { only, others } = tokens.get(exporting)!
      t.match(errorOf(await as(others)), { code: 403, scope: exporting }, accept)
      t.match(errorOf(await as(only)), { code: 403, scope: 'reports:read' }, accept)
      t.equal((await as(a.all.token)).status, 404, 'with both it is looked for')
      enforced.add(exporting)
    }
    const declared = areaKeys.flatMap((area) =>
      areaRules[area].actions.map((action) => `${area}:${action}`),
    )
    t.same(
      [...enforced].sort(),
      declared.sort(),
      'each action that an area has is needed somewhere',
    )
  },
)
