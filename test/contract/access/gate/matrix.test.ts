/**
 * Goal: every route of Surface A answers every principal as `helpers/access/matrix/matrix.ts` says, and a
 * route missing from that table fails here. Method: the routes are read from the running service;
 * each is called once as each principal.
 */
import { defined } from '../../../../proto/defined.ts'
import t from 'tap'
import type { Expected, Row } from '../../../helpers/access/matrix/answers.ts'
import { recordRow } from '../../../helpers/access/matrix/records.ts'
import { rows } from '../../../helpers/access/matrix/matrix.ts'
import { credentialsIn, principals } from '../../../helpers/access/matrix/principals.ts'
import { openWorld } from '../../../helpers/access/world.ts'
import { until } from '../../../helpers/lib/until.ts'

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[]
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const world = await openWorld(t)
const credentials = await credentialsIn(world)

/** Routes that take a credential of Surface A or issue one. */
async function servedRoutes(): Promise<readonly string[]> {
  const { body } = await world.ask('GET', '/openapi.json')
  const { paths } = body as { readonly paths: Paths }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => {
        const isAccess = security.some((scheme) => 'accessToken' in scheme)
        return isAccess || path.startsWith('/v1/sign-in')
      })
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

const fits = (status: number, expected: Expected) =>
  expected === 'in' ? ![401, 403].includes(status) && status < 500 : status === expected

const routes = await servedRoutes()
const last = 'DELETE /v1/sign-in'
const ordered = [...routes.filter((route) => route !== last), last]
let asked = 0

t.test('the table lists exactly the routes that exist', async (t) => {
  t.ok(routes.includes(last) && routes.includes('GET /v1/access'))
  const gone = Object.keys(rows).filter((route) => !routes.includes(route))
  t.same(gone, [], 'rows of routes that are served no more')
})

for (const route of ordered) {
  t.test(route, async (t) => {
    const [method = '', path = ''] = route.split(' ')
    const row = rows[route] ?? recordRow(method, path)
    if (!row) return void t.fail(`${route} has no row in test/helpers/access/matrix/matrix.ts`)
    for (const principal of principals) {
      const { status, text } = await send(method, path, row, principal)
      const expected = row.answers[principal]
      t.ok(fits(status, expected), `${principal}: ${expected}`, { status, text })
    }
  })
}

/** Retries while the token is over its rate limit, which the many rows together exceed. */
function send(method: string, path: string, row: Row, principal: (typeof principals)[number]) {
  const body = row.body?.(world, principal)
  return until('it is within its rate', async () => {
    const answer = await world.ask(
      method,
      path.replace('{id}', row.id?.(world) ?? '').replace('{slug}', 'no-such-view'),
      {
        headers: credentials[principal],
        ...defined({ body }),
        // Failures are counted by address, so each request comes from another one.
        from: `10.0.${Math.floor(asked / 250) % 250}.${asked++ % 250}`,
      },
    )
    return answer.status !== 429 && answer
  })
}
