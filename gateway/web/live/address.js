/** All URLs are relative to this page, so that the view works behind any proxy. */
const page = new URL(location.href)
const sessionId = page.pathname.replace(/\/+$/, '').split('/').pop()

export const sessionName = sessionId

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
  return url
}
