/**
 * Somebody else's session beside an attack. It is used all the while: a call of its browser and,
 * less often, a visit of a page. Both must go on, and how long they took is printed for people.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { ms, percentile } from '../../bench/lib/report.ts'
import { connectRaw } from '../browser/browsers.ts'
import { serveWebPage } from '../pages/web-page.ts'
import { newKey } from './keys.ts'
import { createSession, headless, type Service } from './service.ts'

export interface Bystander {
  /** Ends the use, and asserts that it never failed. Call it last. */
  assertUndisturbed(t: Test): Promise<void>
}

const everyMs = 100
/** A visit after so many calls. */
const callsPerVisit = 10

/** Begins at once. Its tenant is not that of other keys of the test. */
export async function startBystander(
  service: Pick<Service, 'dataDir' | 'baseUrl'>,
): Promise<Bystander> {
  const { url, close } = await serveWebPage('<title>Beside</title>')
  const { rest } = await newKey(service, 'beside', '--tenant', 'beside', '--allow-private')
  const network = { allow_private: true }
  const session = await createSession(rest, { ...headless, session: { network } })
  const path = `/v1/sessions/${session.id}`
  const client = await connectRaw(addressAt(service.baseUrl, session.cdp_url))
  const took = { calls: [] as number[], visits: [] as number[] }
  const failures: string[] = []
  const timed = async (of: keyof typeof took, act: () => Promise<string | undefined>) => {
    const begun = performance.now()
    const failure = await act().catch((error: unknown) => `${error}`)
    if (failure === undefined) took[of].push(performance.now() - begun)
    else failures.push(`${of}: ${failure}`)
  }
  const ending = new AbortController()
  const use = async () => {
    for (let calls = 1; !ending.signal.aborted; calls++) {
      await timed('calls', () => client.send('Browser.getVersion').then(() => undefined))
      if (calls % callsPerVisit === 1) {
        await timed('visits', async () => {
          const { status, body } = await rest('POST', `${path}/goto`, { url })
          return status === 200 ? undefined : `${status} ${body.error?.message}`
        })
      }
      await pause(everyMs, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const used = use()
  return {
    async assertUndisturbed(t) {
      ending.abort()
      await used
      t.same(failures, [])
      t.equal((await rest('GET', path)).body.data.status, 'running')
      t.ok(took.calls.length > 0 && took.visits.length > 0, 'it was used')
      for (const [of, times] of Object.entries(took))
        t.comment(`${of} beside it: ${figures(times)}`)
      client.close()
      await rest('DELETE', path)
      await close()
    },
  }
}

/** A service that stands behind a proxy gives the proxy's addresses, which lead nowhere here. */
function addressAt(baseUrl: string, cdpUrl: string): string {
  const { pathname, search } = new URL(cdpUrl)
  return baseUrl.replace('http', 'ws') + pathname + search
}

function figures(times: readonly number[]): string {
  const at = (p: number) => ms(percentile(times, p))
  return `${times.length}, p50 ${at(50)}, p99 ${at(99)}, longest ${at(100)}`
}
