/**
 * What keeps a session's browser logged in: cookies, local storage and IndexedDB of its own pages,
 * read and replaced as a whole. Pages of contexts that clients create have their own.
 */
import { ServiceError } from '../../proto/errors.ts'
import type { CommandOutput } from '../../proto/commands/catalogue.ts'
import type { OriginState, StorageState } from '../../proto/session/storage-state.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import type { VisitedOrigins } from '../browser/visited-origins.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import { readCookies, replaceCookies } from '../profiles/cookies.ts'
import { storageLimits } from './limits.ts'
import { StoragePage } from './storage-page.ts'

/** The part of a browser that is used here. */
export interface StoringBrowser {
  readonly cdp: CdpPipe
  readonly origins: Pick<VisitedOrigins, 'all' | 'add'>
}

/** `unknown` fields and optional ones that may be undefined are the only difference. */
type PageState = Parameters<StoragePage['write']>[0]

export class SessionStorage {
  readonly #browser: StoringBrowser
  readonly #turns = new SerialQueue()

  constructor(browser: StoringBrowser) {
    this.#browser = browser
  }

  read(withDatabases: boolean): Promise<CommandOutput<'storage_state'>> {
    return this.#turns.run(async () => {
      const { cdp, origins } = this.#browser
      const visited = await origins.all(cdp)
      const kept = await StoragePage.with(cdp, (page) => readAll(page, visited, withDatabases))
      return { cookies: await readCookies(cdp), ...kept }
    })
  }

  /** Cookies, and the local storage of these origins; databases stay as they are. */
  replaceLocal({ cookies, origins }: StorageState, visited: readonly string[]): Promise<void> {
    return this.#turns.run(async () => {
      const { cdp, origins: known } = this.#browser
      await replaceCookies(cdp, cookies)
      if (visited.length === 0) return
      await StoragePage.with(cdp, async (page) => {
        for (const origin of visited) {
          known.add(origin)
          await page.clear(origin, 'local_storage')
        }
        for (const { origin, localStorage } of origins) {
          assertTaken(
            { origin, localStorage },
            await page.write({ origin, localStorage: [...localStorage] }),
          )
        }
      })
    })
  }

  /** Throws `bad_request` for what the browser does not take; then nothing has changed. */
  replace({ cookies, origins }: StorageState): Promise<void> {
    return this.#turns.run(async () => {
      const { cdp, origins: known } = this.#browser
      const visited = await known.all(cdp)
      if (visited.length + origins.length === 0) return replaceCookies(cdp, cookies)
      await StoragePage.with(cdp, async (page) => {
        for (const state of origins.filter(({ indexedDB }) => indexedDB?.length)) {
          assertTaken(state, await page.rehearse(state as PageState))
        }
        await replaceCookies(cdp, cookies)
        const all = new Set([...visited, ...origins.map(({ origin }) => origin)])
        await Promise.all([...all].map((origin) => page.clear(origin)))
        for (const state of origins) {
          known.add(state.origin)
          assertTaken(state, await page.write(state as PageState))
        }
      })
    })
  }
}

async function readAll(page: StoragePage, visited: readonly string[], withDatabases: boolean) {
  const origins: OriginState[] = []
  const omitted: string[] = []
  let chars = storageLimits.stateBytes
  for (const each of visited) {
    const read = await page.read(each, withDatabases, chars)
    const { origin, localStorage, indexedDB, omitted: lost, failure } = read
    if (failure !== undefined || origin !== each) {
      const message = `The storage of ${each} cannot be read as a whole: ${failure ?? `it is that of ${origin}`}.`
      throw new ServiceError('too_large', message, { origin: each })
    }
    omitted.push(...lost.map((what) => `${origin}, ${what}`))
    if (localStorage.length === 0 && !indexedDB?.length) continue
    const state = { origin, localStorage, ...(indexedDB?.length && { indexedDB }) }
    chars -= JSON.stringify(state).length
    origins.push(state as OriginState)
  }
  return { origins, omitted }
}

function assertTaken({ origin }: OriginState, failure: string | undefined): void {
  if (failure === undefined) return
  const message = `The browser does not take the storage of ${origin}: ${failure}.`
  throw new ServiceError('bad_request', message, { origin })
}
