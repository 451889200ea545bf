/** The cookies of a session's pages, in the form of a storage state and of profiles. */
import type { StoredCookie } from '../../proto/session/storage-state.ts'
import { ServiceError } from '../../proto/errors.ts'
import { CdpError, type CdpPipe } from '../cdp/cdp.ts'
import type { CdpParams, CdpResult } from '../cdp/protocol.ts'

type BrowserCookie = CdpResult<'Storage.getCookies'>['cookies'][number]
type NewCookie = CdpParams<'Storage.setCookies'>['cookies'][number]

export async function readCookies(cdp: CdpPipe): Promise<StoredCookie[]> {
  const { cookies } = await cdp.send('Storage.getCookies')
  return cookies.map(toStored)
}

/**
 * Throws `bad_request` for a cookie that the browser does not take; then all is as it was before.
 */
export async function replaceCookies(
  cdp: CdpPipe,
  cookies: readonly StoredCookie[],
): Promise<void> {
  const wanted = cookies.map(toBrowser)
  const before = (await readCookies(cdp)).map(toBrowser)
  try {
    await setCookies(cdp, wanted)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const refused = await refusedAmong(cdp, wanted)
    const taken = wanted.filter((cookie) => !refused.includes(cookie))
    await removeCookies(cdp, without(taken, before))
    await setCookies(cdp, before)
    const [first] = refused
    throw first ? refusedError(wanted.indexOf(first), first) : error
  }
  await removeCookies(cdp, without(before, wanted))
}

/** Sets those that the browser does not have as they are here. A cookie that it refuses is left out. */
export async function addCookies(cdp: CdpPipe, cookies: readonly StoredCookie[]): Promise<void> {
  const had = new Set((await readCookies(cdp)).map((cookie) => JSON.stringify(cookie)))
  const missing = cookies.filter((cookie) => !had.has(JSON.stringify(cookie))).map(toBrowser)
  try {
    await setCookies(cdp, missing)
  } catch (error) {
    if (!isRefusal(error)) throw error
    await refusedAmong(cdp, missing)
  }
}

async function setCookies(cdp: CdpPipe, cookies: readonly NewCookie[]): Promise<void> {
  if (cookies.length > 0) await cdp.send('Storage.setCookies', { cookies: [...cookies] })
}

/** There is no call that deletes some of them; a cookie that has expired is deleted. */
function removeCookies(cdp: CdpPipe, cookies: readonly NewCookie[]): Promise<void> {
  return setCookies(
    cdp,
    cookies.map((cookie) => ({ ...cookie, expires: 1 })),
  )
}

/** Chromium does not say which ones it refuses, and may have set the others. */
async function refusedAmong(cdp: CdpPipe, cookies: readonly NewCookie[]) {
  const refused: NewCookie[] = []
  for (const cookie of cookies) {
    await setCookies(cdp, [cookie]).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      refused.push(cookie)
    })
  }
  return refused
}

function without(cookies: readonly NewCookie[], others: readonly NewCookie[]) {
  const known = new Set(others.map(identityOf))
  return cookies.filter((cookie) => !known.has(identityOf(cookie)))
}

const isRefusal = (error: unknown) => error instanceof CdpError && error.kind === 'refused'

function refusedError(i: number, { name, domain }: NewCookie): ServiceError {
  const which = `${JSON.stringify(name)} of ${JSON.stringify(domain)}`
  return new ServiceError(
    'bad_request',
    `The browser does not take cookie ${which}: its domain, path, prefix or flags do not fit.`,
    { field: `cookies.${i}` },
  )
}

/** What makes two cookies the same one. */
function identityOf({ name, domain, path, partitionKey }: NewCookie): string {
  const { topLevelSite, hasCrossSiteAncestor } = partitionKey ?? {}
  return JSON.stringify([name, domain, path, topLevelSite, hasCrossSiteAncestor])
}

function toStored(cookie: BrowserCookie): StoredCookie {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey } = cookie
  return {
    ...{ name, value, domain, path, expires, httpOnly, secure },
    // Chromium treats one that says nothing like this one.
    sameSite: sameSite ?? 'Lax',
    ...(partitionKey && {
      partitionKey: partitionKey.topLevelSite,
      _crHasCrossSiteAncestor: partitionKey.hasCrossSiteAncestor,
    }),
  }
}

function toBrowser(cookie: StoredCookie): NewCookie {
  const { expires, partitionKey, _crHasCrossSiteAncestor: isNested = false, ...rest } = cookie
  return {
    ...rest,
    ...(expires >= 0 && { expires }),
    ...(partitionKey !== undefined && {
      partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: isNested },
    }),
  }
}
