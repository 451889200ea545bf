/**
 * Goal: callers who name no session share one, whatever happens to it and when. Method: a shared
 * session whose creation the test controls.
 */
import t from 'tap'
import { OpenedSession, keyDefaultSession } from '../../../../gateway/mcp/tools/default-session.ts'
import { ServiceClient, type ServiceRequest } from '../../../../gateway/mcp/service.ts'

/** Opens `ses_1`, `ses_2` …, each when the test lets it. */
function opener() {
  const openings: { grant(): void; refuse(error: Error): void }[] = []
  const open = () =>
    new Promise<{ session: string; note: string }>((resolve, reject) => {
      const session = `ses_${openings.length + 1}`
      openings.push({ grant: () => resolve({ session, note: 'new' }), refuse: reject })
    })
  return { home: new OpenedSession(open), openings }
}

t.test('callers during the opening wait for the same one, and one is told of it', async (t) => {
  const { home, openings } = opener()
  const both = Promise.all([home.enter(), home.enter()])
  openings[0]!.grant()
  t.same(await both, [{ session: 'ses_1', note: 'new' }, { session: 'ses_1' }])
  t.same(await home.enter(), { session: 'ses_1' })
  t.equal(openings.length, 1)
})

t.test('a failed opening is tried again by the next caller', async (t) => {
  const { home, openings } = opener()
  const refused = home.enter()
  openings[0]!.refuse(new Error('full'))
  await t.rejects(refused, { message: 'full' })
  const next = home.enter()
  openings[1]!.grant()
  t.match(await next, { session: 'ses_2' })
})

t.test('two callers who find it ended get the same new one', async (t) => {
  const { home, openings } = opener()
  const first = home.enter()
  openings[0]!.grant()
  await first
  const both = Promise.all([home.replace('ses_1'), home.replace('ses_1')])
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(openings.length, 2)
  openings[1]!.grant()
  t.same(
    (await both).map(({ session }) => session),
    ['ses_2', 'ses_2'],
  )
  t.match(await home.replace('ses_1'), { session: 'ses_2' }, 'who is late takes what there is')
})

t.test('the session of a key is the running one with its tag, or a new one', async (t) => {
  const asked: ServiceRequest[] = []
  let running: object[] = []
  const service = new ServiceClient(async (request) => {
    asked.push(request)
    const isList = request.method === 'GET'
    return { status: 200, body: { data: isList ? { sessions: running } : { id: 'ses_new' } } }
  })
  t.match(await keyDefaultSession(service, 'k1').enter(), { session: 'ses_new', note: String })
  t.match(asked[0]!.path, 'tags=mcp-home%3Ak1')
  t.match(asked[1], { method: 'POST', body: { session: { tags: ['mcp', 'mcp-home:k1'] } } })
  running = [{ id: 'ses_there' }]
  t.same(await keyDefaultSession(service, 'k1').enter(), { session: 'ses_there' })
})
