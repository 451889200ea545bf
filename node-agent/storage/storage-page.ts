/**
 * A hidden page that takes the origin whose storage is read or written: the agent answers its
 * request for a document, so nothing of it reaches the network. Clients see a target of type
 * `other`, which they leave alone.
 */
import { ServiceError } from '../../proto/errors.ts'
import { sentFunctions, type PageFunction } from '../../runtime/browser-host/page-functions.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type { CdpEventParams } from '../cdp/protocol.ts'
import type * as storageCode from '../in-page/storage/storage.ts'
import { Tab } from '../page/tabs/tab.ts'
import { storageLimits } from './limits.ts'

const { readStorage, rehearseStorage, writeStorage } = sentFunctions<typeof storageCode>('storage')

const document = {
  responseCode: 200,
  responseHeaders: [
    { name: 'content-type', value: 'text/html; charset=utf-8' },
    { name: 'content-security-policy', value: "default-src 'none'" },
  ],
  body: Buffer.from('<!doctype html>').toString('base64'),
}

export class StoragePage {
  readonly #page: Tab
  #origin = ''

  private constructor(page: Tab) {
    this.#page = page
    page.on('Fetch.requestPaused', (paused) => void this.#answer(paused).catch(() => undefined))
  }

  /** Closes the page after its use. */
  static async with<T>(cdp: CdpPipe, use: (page: StoragePage) => Promise<T>): Promise<T> {
    const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank', hidden: true })
    try {
      const page = new StoragePage(await Tab.attach(cdp, targetId))
      await page.#prepare()
      return await use(page)
    } finally {
      await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined)
    }
  }

  /** Local storage, and IndexedDB if wanted. At most about that many characters. */
  async read(origin: string, withDatabases: boolean, charsMax: number) {
    await this.#visit(origin)
    return this.#run(readStorage, withDatabases, charsMax)
  }

  /** Changes nothing. Returns why the databases could not be written, if so. */
  async rehearse(state: storageCode.OriginStorage): Promise<string | undefined> {
    await this.#visit(state.origin)
    return this.#run(rehearseStorage, state)
  }

  /** Into an origin that has been cleared. Returns why it could not be written, if so. */
  async write(state: storageCode.OriginStorage): Promise<string | undefined> {
    await this.#visit(state.origin)
    return this.#run(writeStorage, state)
  }

  /** Pages that have these databases open lose them. */
  async clear(origin: string, storageTypes = 'local_storage,indexeddb'): Promise<void> {
    await this.#page.call('Storage.clearDataForOrigin', { origin, storageTypes })
  }

  async #prepare(): Promise<void> {
    await Promise.all([
      this.#page.call('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      // The worker of an origin would answer in place of the agent.
      this.#page
        .call('Network.enable')
        .then(() => this.#page.call('Network.setBypassServiceWorker', { bypass: true })),
    ])
  }

  async #visit(origin: string): Promise<void> {
    this.#origin = origin
    const url = `${origin}/`
    const { errorText } = await this.#page.call('Page.navigate', { url }, storageLimits.originMs)
    if (errorText === undefined) return
    const message = `The storage of ${origin} cannot be reached: ${errorText}.`
    throw new ServiceError('conflict', message, { origin })
  }

  /** In the page's own world, where nothing else runs: another would have to be made each time. */
  async #run<A extends readonly unknown[], R>(called: PageFunction<A, R>, ...args: A): Promise<R> {
    const expression = `(${called.source}).apply(null, ${JSON.stringify(args)})`
    const how = { expression, awaitPromise: true, returnByValue: true }
    const answer = await this.#page.call('Runtime.evaluate', how, storageLimits.originMs)
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description)
    return answer.result.value as R
  }

  /** Fails if the request or its page is gone, which needs no handling. */
  async #answer({ requestId, request }: CdpEventParams<'Fetch.requestPaused'>): Promise<void> {
    if (request.url === `${this.#origin}/`) {
      await this.#page.call('Fetch.fulfillRequest', { requestId, ...document })
      return
    }
    await this.#page.call('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
  }
}
