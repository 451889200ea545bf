/**
 * Clients tell the browser to download into a folder on *their* machine (Playwright does on
 * every connection). Downloads belong to the session, so that one call is pointed at its folder;
 * every other message passes unread.
 */
const method = Buffer.from('setDownloadBehavior')

/** The message to send instead, or nothing when this one may pass as it is. */
export function redirectDownloads(message: Uint8Array, downloadsDir: string): Buffer | undefined {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  if (!bytes.includes(method)) return undefined
  const call = parse(bytes)
  if (!isDownloadCall(call)) return undefined
  const { behavior } = call.params
  if (behavior === 'deny') return undefined
  const params = {
    ...call.params,
    // Under ids: where names are allowed, a second file of one name would replace the first.
    behavior: 'allowAndName',
    downloadPath: downloadsDir,
  }
  return Buffer.from(JSON.stringify({ ...call, params }))
}

interface DownloadCall {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Also the older call of the Page domain, which some clients still make. */
function isDownloadCall(value: unknown): value is DownloadCall {
  if (typeof value !== 'object' || value === null) return false
  const { method, params } = value as Partial<DownloadCall>
  const named = method === 'Browser.setDownloadBehavior' || method === 'Page.setDownloadBehavior'
  return named && typeof params === 'object' && params !== null
}

/** What is no JSON is for Chromium to refuse. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
