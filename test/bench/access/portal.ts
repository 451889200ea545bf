/** The portal: the cost of a whole page, beside a request that answers at once. */
import { makePerson, password } from '../../helpers/access/people.ts'
import { PlainBrowser } from '../../helpers/access/portal/plain-browser.ts'
import { openWorld } from '../../helpers/access/world.ts'
import type { Teardown } from '../../helpers/nats/nats.ts'
import { until } from '../../helpers/lib/until.ts'
import { loadOf } from '../lib/http-load.ts'
import { median, ms, percentile, type Figure } from '../lib/report.ts'

/** The rate limit: one person may ask for 60 pages at once. */
const people = 24
const pagesEach = 50
const pages = { overview: '/portal', 'list of needs': '/portal/needs' } as const

export async function measurePages(t: Teardown): Promise<Figure[]> {
  const world = await openWorld(t, { LOG_LEVEL: 'error' })
  const { baseUrl } = world.service
  const figures: Figure[] = []
  for (const [name, path] of Object.entries(pages)) {
    const cookies = await Promise.all(Array.from({ length: people }, (_, n) => cookieOf(world, n)))
    const get = (to: string, more = '') => `GET ${to} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
    const asked = cookies.map((cookie) => get(path, `Cookie: ${cookie}\r\n`))
    await loadOf(baseUrl, people * 5, (n) => asked[n % people]!)
    const count = people * pagesEach
    const bare = await loadOf(baseUrl, count, () => get('/health/live'))
    const ours = await loadOf(baseUrl, count, (n) => asked[n % people]!)
    figures.push({
      name: `portal, ${name}, p50 (p95), 8 connections`,
      ours: `${ms(median(ours.samples))} (${ms(percentile(ours.samples, 95))})`,
      baseline: `${ms(median(bare.samples))} (GET /health/live)`,
      ratio: median(ours.samples) / median(bare.samples),
      target: '≤ 20 ms',
      met: median(ours.samples) <= 20,
    })
  }
  return figures
}

let signedIn = 0

/** The cookie of a new person who has signed in through the form. */
async function cookieOf(
  { insider, a, ada, service }: Awaited<ReturnType<typeof openWorld>>,
  n: number,
): Promise<string> {
  const email = `reader-${n}-${signedIn++}@a.example`
  const who = { tenant: a.id, email, roles: ['member'], by: ada.author } as const
  await makePerson(insider.directory, who)
  const browser = new PlainBrowser(service.baseUrl, `10.30.0.${signedIn % 250}`)
  await until('they are signed in', async () => {
    return (await browser.signIn(email, password)).path === '/portal'
  })
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
