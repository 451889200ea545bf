/**
 * Runs a client's script in a hidden page of our own, with Puppeteer's browser build. All messages
 * go through one binding, which the script may call too, so the binding gives no information and no
 * permissions that the script does not have anyway.
 */
interface CdpTransport {
  send(message: string): void
  close(): void
  onmessage?: (message: string) => void
  onclose?: () => void
}

interface ScriptTarget {
  readonly _targetId: string
  type(): string
}

interface PuppeteerPage {
  target(): ScriptTarget
}

interface PuppeteerBrowser {
  pages(): Promise<PuppeteerPage[]>
  newPage(): Promise<PuppeteerPage>
  disconnect(): Promise<void>
  close(): Promise<void>
}

interface ScriptGlobals {
  readonly toAgent: (payload: string) => void
  readonly Puppeteer: {
    connect(options: object): Promise<PuppeteerBrowser>
  }
  transport: CdpTransport | undefined
}

interface ScriptTools {
  readonly page: PuppeteerPage
  readonly browser: PuppeteerBrowser
  readonly args: unknown
  readonly log: (...values: unknown[]) => void
}

export type ScriptEnd =
  | { readonly json: string }
  | { readonly error: string; readonly stack: string; readonly stage: 'connect' | 'run' | 'value' }

export const scriptGlobals = () => globalThis as unknown as ScriptGlobals

/**
 * Removes peer connections: they would reach the network without a request that could be refused.
 */
export function removePeerConnections(): void {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    Reflect.deleteProperty(globalThis, name)
  }
}

/** The first character is the kind of the message. */
export const tellAgent = (kind: 'c' | 'l' | 'b', text: string) =>
  scriptGlobals().toAgent(kind + text)

export function handMessages(messages: readonly string[]): void {
  for (const message of messages) scriptGlobals().transport?.onmessage?.(message)
}

export function logText(value: unknown, chars: number): string {
  if (typeof value === 'string') return value.slice(0, chars)
  if (value instanceof Error) return String(value.stack ?? value).slice(0, chars)
  try {
    return String(JSON.stringify(value) ?? value).slice(0, chars)
  } catch {
    return String(value).slice(0, chars)
  }
}

/** Binary data, such as a screenshot, becomes base64. */
export function asJson(value: unknown): string {
  const bytesAsText = (_: string, each: unknown) => {
    if (!(each instanceof Uint8Array)) return each
    let text = ''
    for (const byte of each) text += String.fromCharCode(byte)
    return btoa(text)
  }
  return JSON.stringify(value, bytesAsText) ?? 'null'
}

export async function connectBrowser(): Promise<PuppeteerBrowser> {
  const transport: CdpTransport = {
    send: (message) => tellAgent('c', message),
    close: () => undefined,
  }
  scriptGlobals().transport = transport
  // Hides the service's own pages, including this one, because they do not belong to the session.
  const targetFilter = (target: ScriptTarget) => target.type() !== 'other'
  const options = { transport, targetFilter, defaultViewport: null }
  const browser = await scriptGlobals().Puppeteer.connect(options)
  // Closing the browser ends only the script, as in other Puppeteer scripts; the session continues.
  browser.close = () => browser.disconnect()
  return browser
}

export async function puppeteerPageOf(
  browser: PuppeteerBrowser,
  id: string,
): Promise<PuppeteerPage> {
  const pages = await browser.pages()
  const found = pages.find((page) => page.target()._targetId === id)
  return found ?? pages[0] ?? browser.newPage()
}

export function logger(chars: number): ScriptTools['log'] {
  const log = (...values: unknown[]) =>
    tellAgent(
      'l',
      values
        .map((value) => logText(value, chars))
        .join(' ')
        .slice(0, chars),
    )
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = log
  return log
}

/** `this` is the client's function. */
export async function runScript(
  this: (tools: ScriptTools) => unknown,
  tabId: string,
  args: unknown,
  limits: { readonly logLineChars: number; readonly valueChars: number },
): Promise<ScriptEnd> {
  let stage: 'connect' | 'run' | 'value' = 'connect'
  try {
    const browser = await connectBrowser()
    const page = await puppeteerPageOf(browser, tabId)
    stage = 'run'
    tellAgent('b', '')
    // Not called as a method, so that the client's function gets no `this`.
    const script = this
    const value = await script({ page, browser, args, log: logger(limits.logLineChars) })
    stage = 'value'
    const json = asJson(value)
    if (json.length <= limits.valueChars) return { json }
    const error = `as JSON it has ${json.length} characters; ${limits.valueChars} are allowed`
    return { error, stack: '', stage }
  } catch (thrown) {
    const isError = thrown instanceof Error
    const error = isError ? `${thrown.name}: ${thrown.message}` : logText(thrown, 1_000)
    return { error, stack: isError ? String(thrown.stack) : '', stage }
  }
}
