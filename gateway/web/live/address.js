/** All URLs are relative to this page, so that the view works behind any proxy. */
const page = new URL(location.href)
const sessionId = page.pathname.replace(/\/+$/, '').split('/').pop()

export const sessionName = sessionId

/**
 * What this tab calls itself, also after a reload: a link that works once is for whoever has opened it.
 */
const viewer = ownName()

function ownName() {
  const name = [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16)).join('')
  try {
    sessionStorage.viewer ??= name
    return sessionStorage.viewer
  } catch {
    // A browser that stores nothing; after a reload this is another viewer.
    return name
  }
}

export function stateUrl() {
  return withToken(`${sessionId}/state`)
}

export function socketUrl() {
  const url = withToken(`${sessionId}/socket`)
  url.protocol = url.protocol.replace('http', 'ws')
  return url
}

function withToken(path) {
  const url = new URL(path, page)
  url.searchParams.set('token', page.searchParams.get('token') ?? '')
  url.searchParams.set('viewer', viewer)
  return url
}
