/**
 * The hidden page in which one script runs, with an origin that no other page shares, and without
 * network access. Its document is provided by the agent, and all its requests are refused.
 */
import { randomBytes } from 'node:crypto'
import { scriptOf, sentFunctions } from '../../runtime/browser-host/page-functions.ts'
import type { CdpPipe } from '../cdp/cdp.ts'
import type {
  CallArguments,
  CdpEventName,
  CdpEventParams,
  CdpMethod,
  CdpResult,
} from '../cdp/protocol.ts'
import type * as scriptCode from '../in-page/scripting.ts'
import { scriptLimits } from './limits.ts'

const { removePeerConnections } = sentFunctions<typeof scriptCode>('scripting')

/** `sandbox` gives it an opaque origin: no storage, no cookies, no pop-ups, no downloads. */
const policy =
  "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; " +
  "base-uri 'none'; form-action 'none'"
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-dns-prefetch-control': 'off',
}
const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }))
const body = Buffer.from('<!doctype html><title>script</title>').toString('base64')

export class ScriptPage {
  readonly #cdp: CdpPipe
  readonly #targetId: string
  readonly #session: string
  readonly #url: string
  readonly #off: (() => void)[] = []
  #isServed = false

  private constructor(cdp: CdpPipe, targetId: string, session: string) {
    this.#cdp = cdp
    this.#targetId = targetId
    this.#session = session
    // A unique site gets a process of its own.
    this.#url = `https://${randomBytes(16).toString('hex')}.invalid/`
  }

  /** `onPayload` gets the payloads that the page passes to its only binding. */
  static async open(
    cdp: CdpPipe,
    browserContextId: string,
    onPayload: (payload: string) => void,
  ): Promise<ScriptPage> {
    const { targetId } = await cdp.send('Target.createTarget', {
      url: 'about:blank',
      hidden: true,
      browserContextId,
    })
    let page: ScriptPage | undefined
    try {
      const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
      page = new ScriptPage(cdp, targetId, sessionId)
      await page.#load(onPayload)
      return page
    } catch (error) {
      page?.forget()
      await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined)
      throw error
    }
  }

  call<M extends CdpMethod>(
    method: M,
    ...[params, timeoutMs]: CallArguments<M, [timeoutMs?: number]>
  ): Promise<CdpResult<M>> {
    const args = [params, { sessionId: this.#session, timeoutMs }] as unknown
    return this.#cdp.send(method, ...(args as CallArguments<M, [object]>))
  }

  on<E extends CdpEventName>(method: E, listener: (params: CdpEventParams<E>) => void): void {
    const off = this.#cdp.onEvent((event) => {
      if (event.method === method) listener(event.params as CdpEventParams<E>)
    }, this.#session)
    this.#off.push(off)
  }

  /** Ends the script, even an endless loop, and closes the page. */
  async close(): Promise<void> {
    this.forget()
    const timeoutMs = scriptLimits.scriptEndMs
    const targetId = this.#targetId
    // Both calls fail if the page has crashed or the browser has ended; the script then no longer
    // runs.
    await this.call('Runtime.terminateExecution', {}, timeoutMs).catch(() => undefined)
    await this.#cdp.send('Target.closeTarget', { targetId }).catch(() => undefined)
  }

  forget(): void {
    for (const off of this.#off.splice(0)) off()
  }

  async #load(onPayload: (payload: string) => void): Promise<void> {
    this.on('Fetch.requestPaused', (paused) => void this.#answer(paused).catch(() => undefined))
    this.on('Runtime.bindingCalled', ({ payload }) => onPayload(payload))
    await Promise.all([
      this.call('Page.enable'),
      this.call('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      this.call('Page.addScriptToEvaluateOnNewDocument', {
        source: scriptOf(removePeerConnections),
      }),
    ])
    const { errorText } = await this.call(
      'Page.navigate',
      { url: this.#url },
      scriptLimits.scriptOpenMs,
    )
    if (errorText !== undefined) throw new Error(`the page of a script: ${errorText}`)
    // The navigation has replaced the process, and with it bindings and heap metrics.
    await Promise.all([
      this.call('Runtime.addBinding', { name: 'toAgent' }),
      this.call('Performance.enable'),
    ])
  }

  /** Fails if the request or its page is gone, which needs no handling. */
  async #answer({ requestId, request }: CdpEventParams<'Fetch.requestPaused'>): Promise<void> {
    if (this.#isServed || request.url !== this.#url) {
      await this.call('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
      return
    }
    this.#isServed = true
    await this.call('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body })
  }
}
